import { givenNameFirst, type Language } from "../language.js";

export const nl: Language = {
  tag: "nl",
  phone: { prefix: "+316", digits: 8 },
  fullName: givenNameFirst,
  days: ["maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag"],
  hello: ["Hallo,", "Goedemorgen,", "Dag,", "Hallo {business},"],
  topics: [
    {
      ask: ["is mijn bestelling {order} klaar?", "is er nieuws over bestelling {order}?"],
      answer: ["{order} is vanochtend verstuurd.", "We pakken hem nu in, hij gaat {day} weg."],
      follow: ["Kan ik hem ook in de winkel ophalen?", "Belt er iemand voor de bezorging?"],
      settle: [
        "Zeker, vanaf {day} ligt hij aan de balie.",
        "Ja, de chauffeur belt een half uur van tevoren.",
      ],
      note: ["Volgens de vervoerder is {order} al onderweg.", "Let op {order}, tweede vraag hierover."],
    },
    {
      ask: ["zijn jullie {day} open?", "tot hoe laat kan ik {day} langskomen?"],
      answer: ["{day} zijn we er van 9 tot 19 uur.", "Ja, de hele dag, behalve tussen de middag."],
      follow: ["Moet ik een afspraak maken?", "Kan ik er parkeren?"],
      settle: ["Nee hoor, kom gerust langs.", "Achter de winkel, het eerste uur is gratis."],
      note: ["{day} zijn we met weinig, niets beloven.", "Voor {day} genoteerd."],
    },
    {
      ask: ["een deel van bestelling {order} kwam kapot aan.", "dit is niet wat ik besteld heb ({order})."],
      answer: ["Wat vervelend. Kunt u een foto sturen?", "Dat hoort niet. We vervangen het."],
      follow: ["Moet ik het oude terugsturen?", "Hoe lang duurt het?"],
      settle: ["Nee, houd het maar. Het nieuwe gaat {day} weg.", "U hebt het uiterlijk {day}."],
      note: ["Derde beschadigde pakket deze maand.", "Vervanging van {order} is akkoord."],
    },
    {
      ask: ["kan ik een offerte krijgen voor twintig stuks?", "geven jullie korting aan bedrijven?"],
      answer: ["Graag. Welk model zoekt u?", "Vanaf tien stuks, ja. Voor welke datum?"],
      follow: ["Het grote in grijs, liefst voor {day}.", "Hetzelfde als bij {order}."],
      settle: ["Dank u, {employee} stuurt de offerte voor {day}.", "Genoteerd, hij komt per e-mail."],
      note: ["Mooie aanvraag, {day} terugbellen.", "Hooguit tien procent, zegt de leiding."],
    },
  ],
  picture: ["Hier is een foto.", "Zo ziet het eruit:"],
  thanks: ["Perfect, bedankt!", "Fijn, dank je wel.", "Dank je {employee}, dat helpt."],
  closing: ["Graag gedaan, {customer}. Fijne dag!", "Geen dank. Tot ziens!"],
  templates: [
    { title: "weer_contact", text: "Excuses voor het wachten. Antwoord JA als u ons nog nodig hebt." },
    { title: "bestelling_klaar", text: "Uw bestelling ligt klaar om op te halen." },
    { title: "afspraak_herinnering", text: "Morgen hebt u een afspraak. Antwoord om hem te verzetten." },
  ],
};
