import { givenNameFirst, type Language } from "../language.js";

export const de: Language = {
  tag: "de",
  phone: { prefix: "+49151", digits: 8 },
  fullName: givenNameFirst,
  days: ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"],
  hello: ["Hallo,", "Guten Tag,", "Guten Morgen,", "Hallo {business},"],
  topics: [
    {
      ask: ["ist meine Bestellung {order} fertig?", "gibt es etwas Neues zur Bestellung {order}?"],
      answer: ["{order} ging heute früh in den Versand.", "Wir packen sie gerade, sie geht am {day} raus."],
      follow: ["Kann ich sie auch im Laden abholen?", "Ruft jemand an, bevor geliefert wird?"],
      settle: [
        "Gern, ab {day} liegt sie an der Kasse.",
        "Ja, der Fahrer meldet sich eine halbe Stunde vorher.",
      ],
      note: [
        "Laut Spedition ist {order} schon unterwegs.",
        "{order} bitte im Blick behalten, zweite Nachfrage.",
      ],
    },
    {
      ask: ["habt ihr am {day} offen?", "bis wann kann ich am {day} kommen?"],
      answer: ["Am {day} sind wir von 9 bis 19 Uhr da.", "Ja, den ganzen {day}, nur mittags nicht."],
      follow: ["Brauche ich einen Termin?", "Kann man bei euch parken?"],
      settle: ["Nein, kommen Sie einfach vorbei.", "Hinter dem Haus, die erste Stunde kostet nichts."],
      note: ["Am {day} sind wir knapp besetzt, bitte nichts zusagen.", "Für {day} eintragen."],
    },
    {
      ask: ["ein Teil der Bestellung {order} kam kaputt an.", "ich habe das Falsche bekommen ({order})."],
      answer: [
        "Das tut mir leid. Haben Sie ein Foto davon?",
        "So war das nicht gedacht, wir tauschen es um.",
      ],
      follow: ["Muss ich das alte zurückschicken?", "Wie lange dauert der Umtausch?"],
      settle: ["Nein, behalten Sie es. Das neue geht am {day} raus.", "Bis {day} ist es bei Ihnen."],
      note: ["Der dritte Schaden bei dieser Spedition.", "Ersatz für {order} ist freigegeben."],
    },
    {
      ask: ["könnte ich ein Angebot über zwanzig Stück haben?", "gibt es Rabatt für Firmen?"],
      answer: ["Gern. Welches Modell soll es sein?", "Ab zehn Stück, ja. Bis wann brauchen Sie sie?"],
      follow: ["Das große in Grau, möglichst bis {day}.", "Das gleiche wie bei {order}."],
      settle: [
        "Danke, {employee} schickt das Angebot bis {day}.",
        "Ist notiert, das Angebot kommt per E-Mail.",
      ],
      note: ["Gute Anfrage, am {day} zurückrufen.", "Höchstens zehn Prozent, sagt die Leitung."],
    },
  ],
  picture: ["Hier ist ein Foto.", "So sieht es aus:"],
  thanks: ["Wunderbar, danke!", "Super, vielen Dank.", "Danke {employee}, das hilft."],
  closing: ["Gern geschehen, {customer}. Einen schönen Tag!", "Sehr gern. Bis bald!"],
  templates: [
    {
      title: "wieder_da",
      text: "Entschuldigen Sie die Wartezeit. Antworten Sie JA, wenn Sie uns noch brauchen.",
    },
    { title: "bestellung_fertig", text: "Ihre Bestellung liegt zur Abholung bereit." },
    {
      title: "termin_erinnerung",
      text: "Morgen haben Sie einen Termin bei uns. Zum Verschieben bitte antworten.",
    },
  ],
};
