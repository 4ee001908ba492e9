import { givenNameFirst, type Language } from "../language.js";

export const it: Language = {
  tag: "it",
  phone: { prefix: "+39351", digits: 7 },
  fullName: givenNameFirst,
  days: ["lunedì", "martedì", "mercoledì", "giovedì", "venerdì", "sabato"],
  hello: ["Buongiorno,", "Salve,", "Buonasera,", "Buongiorno {business},"],
  topics: [
    {
      ask: ["il mio ordine {order} è pronto?", "ci sono novità sull'ordine {order}?"],
      answer: ["L'ordine {order} è partito stamattina.", "Lo stiamo preparando, parte {day}."],
      follow: ["Posso ritirarlo in negozio?", "Chiamano prima della consegna?"],
      settle: ["Certo, da {day} è alla cassa.", "Sì, il corriere chiama mezz'ora prima."],
      note: ["Il corriere dice che {order} è già in viaggio.", "Attenzione a {order}: seconda richiesta."],
    },
    {
      ask: ["siete aperti {day}?", "fino a che ora posso passare {day}?"],
      answer: ["{day} siamo qui dalle 9 alle 19.", "Sì, tutto il giorno, tranne a mezzogiorno."],
      follow: ["Serve un appuntamento?", "C'è un parcheggio?"],
      settle: ["Non serve, passi pure.", "Dietro il negozio, la prima ora è gratuita."],
      note: ["{day} siamo in pochi, non promettere nulla.", "Segnato per {day}."],
    },
    {
      ask: ["un pezzo dell'ordine {order} è arrivato rotto.", "non è quello che ho ordinato ({order})."],
      answer: ["Mi dispiace. Può mandarmi una foto?", "Non doveva succedere, lo sostituiamo."],
      follow: ["Devo rimandare quello vecchio?", "Quanto ci vuole per il cambio?"],
      settle: ["No, lo tenga. Quello nuovo parte {day}.", "Lo avrà entro {day}."],
      note: ["Terzo pacco danneggiato questo mese.", "Sostituzione di {order} approvata."],
    },
    {
      ask: ["potrei avere un preventivo per venti pezzi?", "fate sconti alle aziende?"],
      answer: ["Volentieri. Quale modello?", "Da dieci pezzi in su, sì. Per quando?"],
      follow: ["Quello grande, grigio, entro {day} se possibile.", "Lo stesso dell'ordine {order}."],
      settle: ["Grazie, {employee} manda il preventivo entro {day}.", "Annotato, arriva per e-mail."],
      note: ["Buon contatto, richiamare {day}.", "Dieci per cento al massimo, dice la direzione."],
    },
  ],
  picture: ["Ecco una foto.", "Si presenta così:"],
  thanks: ["Perfetto, grazie!", "Ottimo, grazie mille.", "Grazie {employee}, molto chiaro."],
  closing: ["Di nulla, {customer}. Buona giornata!", "Un piacere. A presto!"],
  templates: [
    { title: "ripresa_contatto", text: "Ci scusi per l'attesa. Risponda SÌ se ha ancora bisogno di noi." },
    { title: "ordine_pronto", text: "Il suo ordine è pronto per il ritiro." },
    {
      title: "promemoria_appuntamento",
      text: "Le ricordiamo l'appuntamento di domani. Risponda per spostarlo.",
    },
  ],
};
