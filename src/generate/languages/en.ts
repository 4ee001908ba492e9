import { givenNameFirst, type Language } from "../language.js";

export const en: Language = {
  tag: "en",
  phone: { prefix: "+1555", digits: 7 },
  fullName: givenNameFirst,
  days: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
  hello: ["Hello!", "Hi there,", "Good morning,", "Hi {business},"],
  topics: [
    {
      ask: ["is my order {order} ready?", "any news about order {order}? I placed it last week."],
      answer: ["Order {order} left our warehouse this morning.", "It is being packed and ships on {day}."],
      follow: ["Can I collect it in the shop instead?", "Will somebody call before it arrives?"],
      settle: [
        "Of course, it will be at the counter from {day}.",
        "Yes, the driver calls half an hour before.",
      ],
      note: [
        "Carrier says {order} is in the van already.",
        "Please keep an eye on {order}, second question about it.",
      ],
    },
    {
      ask: ["are you open on {day}?", "until when can I come in on {day}?"],
      answer: ["On {day} we are here from 9 to 7.", "Yes, all day on {day}, with a break at noon."],
      follow: ["Do I need an appointment?", "Is there somewhere to park?"],
      settle: ["No need, just come by.", "There is a car park behind the shop, free for an hour."],
      note: ["{day} is short-staffed, do not promise fittings.", "Put them down for {day} if they come."],
    },
    {
      ask: ["one part of order {order} arrived broken.", "what I got is not what I ordered ({order})."],
      answer: [
        "I am sorry about that. Could you send a picture?",
        "That should not happen. We will replace it.",
      ],
      follow: ["Do I have to send the old one back?", "How long will the new one take?"],
      settle: ["No, please keep it. The new one ships on {day}.", "You will have it by {day}."],
      note: ["Third damaged parcel from that carrier this month.", "Replacement for {order} approved."],
    },
    {
      ask: ["could I get a quote for twenty pieces?", "do you have discounts for companies?"],
      answer: ["Gladly. Which model do you have in mind?", "From ten pieces on, yes. For what date?"],
      follow: ["The large one, in grey, by {day} if possible.", "The same as in order {order}."],
      settle: [
        "Thank you, {employee} sends you the quote by {day}.",
        "Noted, the quote is on its way by e-mail.",
      ],
      note: ["Good lead, please call back on {day}.", "Ten per cent at most, says the manager."],
    },
  ],
  picture: ["Here is a picture.", "It looks like this:"],
  thanks: ["Perfect, thank you!", "Great, thanks a lot.", "That helps, thanks {employee}."],
  closing: ["You are welcome, {customer}. Have a nice day!", "My pleasure. See you soon!"],
  templates: [
    { title: "issue_back", text: "Sorry for the wait. Reply YES if you still need us." },
    { title: "order_ready", text: "Your order is ready to be collected." },
    { title: "appointment_reminder", text: "A reminder of your appointment tomorrow. Reply to move it." },
  ],
};
