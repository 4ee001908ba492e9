import { givenNameFirst, type Language } from "../language.js";

export const fr: Language = {
  tag: "fr",
  phone: { prefix: "+336", digits: 8 },
  fullName: givenNameFirst,
  days: ["lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"],
  hello: ["Bonjour,", "Bonjour !", "Bonsoir,", "Bonjour {business},"],
  topics: [
    {
      ask: ["ma commande {order} est-elle prête ?", "avez-vous des nouvelles de la commande {order} ?"],
      answer: ["La commande {order} est partie ce matin.", "Elle est en préparation, départ {day}."],
      follow: ["Puis-je plutôt la retirer en magasin ?", "Le livreur appelle-t-il avant de passer ?"],
      settle: ["Bien sûr, elle vous attend à l'accueil dès {day}.", "Oui, il appelle une demi-heure avant."],
      note: [
        "Le transporteur dit que {order} est déjà en tournée.",
        "À suivre : deuxième question sur {order}.",
      ],
    },
    {
      ask: ["êtes-vous ouverts {day} ?", "jusqu'à quelle heure puis-je venir {day} ?"],
      answer: ["{day}, nous sommes là de 9 h à 19 h.", "Oui, toute la journée, sauf à midi."],
      follow: ["Faut-il prendre rendez-vous ?", "Peut-on se garer à côté ?"],
      settle: [
        "Non, passez quand vous voulez.",
        "Le parking derrière le magasin est gratuit la première heure.",
      ],
      note: ["Équipe réduite {day}, ne rien promettre.", "À noter dans l'agenda de {day}."],
    },
    {
      ask: [
        "une pièce de la commande {order} est arrivée cassée.",
        "je n'ai pas reçu le bon article ({order}).",
      ],
      answer: [
        "Je suis désolé. Pouvez-vous m'envoyer une photo ?",
        "Toutes nos excuses, nous le remplaçons.",
      ],
      follow: ["Dois-je renvoyer l'ancien ?", "Combien de temps cela prendra-t-il ?"],
      settle: ["Non, gardez-le. Le nouveau part {day}.", "Vous l'aurez au plus tard {day}."],
      note: ["Troisième colis abîmé ce mois-ci.", "Remplacement de {order} accordé."],
    },
    {
      ask: ["pourrais-je avoir un devis pour vingt pièces ?", "faites-vous des remises aux entreprises ?"],
      answer: [
        "Avec plaisir. Quel modèle vous intéresse ?",
        "À partir de dix pièces, oui. Pour quelle date ?",
      ],
      follow: ["Le grand modèle en gris, pour {day} si possible.", "Le même que dans la commande {order}."],
      settle: [
        "Merci, {employee} vous envoie le devis avant {day}.",
        "C'est noté, le devis part par e-mail.",
      ],
      note: ["Belle demande, à rappeler {day}.", "Dix pour cent au plus, dit la direction."],
    },
  ],
  picture: ["Voici une photo.", "Cela ressemble à ceci :"],
  thanks: ["Parfait, merci !", "Super, merci beaucoup.", "Merci {employee}, c'est plus clair."],
  closing: ["Avec plaisir, {customer}. Bonne journée !", "Je vous en prie. À bientôt !"],
  templates: [
    {
      title: "reprise_contact",
      text: "Désolés pour l'attente. Répondez OUI si vous avez encore besoin de nous.",
    },
    { title: "commande_prete", text: "Votre commande est prête à être retirée." },
    {
      title: "rappel_rendez_vous",
      text: "Rappel : votre rendez-vous est demain. Répondez pour le déplacer.",
    },
  ],
};
