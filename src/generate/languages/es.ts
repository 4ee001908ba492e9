import { givenNameFirst, type Language } from "../language.js";

export const es: Language = {
  tag: "es",
  phone: { prefix: "+346", digits: 8 },
  fullName: givenNameFirst,
  days: ["lunes", "martes", "miércoles", "jueves", "viernes", "sábado"],
  hello: ["Hola,", "¡Hola!", "Buenos días,", "Hola, {business}:"],
  topics: [
    {
      ask: ["¿está listo mi pedido {order}?", "¿hay novedades del pedido {order}?"],
      answer: ["El pedido {order} ha salido esta mañana.", "Lo estamos preparando, sale el {day}."],
      follow: ["¿Puedo recogerlo en la tienda?", "¿Llaman antes de traerlo?"],
      settle: ["Claro, estará en el mostrador desde el {day}.", "Sí, el repartidor llama media hora antes."],
      note: ["El transportista dice que {order} ya va en camino.", "Ojo con {order}: segunda pregunta."],
    },
    {
      ask: ["¿abren el {day}?", "¿hasta qué hora puedo ir el {day}?"],
      answer: ["El {day} estamos de 9 a 19 h.", "Sí, todo el {day}, menos al mediodía."],
      follow: ["¿Hace falta cita?", "¿Se puede aparcar cerca?"],
      settle: ["No hace falta, venga cuando quiera.", "Detrás de la tienda, la primera hora es gratis."],
      note: ["El {day} somos pocos, no prometáis nada.", "Apuntado para el {day}."],
    },
    {
      ask: ["una pieza del pedido {order} llegó rota.", "no es lo que pedí ({order})."],
      answer: ["Lo siento mucho. ¿Me envía una foto?", "No debería pasar. Se lo cambiamos."],
      follow: ["¿Tengo que devolver el antiguo?", "¿Cuánto tarda el cambio?"],
      settle: ["No, quédeselo. El nuevo sale el {day}.", "Lo tendrá el {day} como tarde."],
      note: ["Tercer paquete dañado este mes.", "Cambio de {order} aprobado."],
    },
    {
      ask: ["¿me harían un presupuesto de veinte unidades?", "¿hay descuento para empresas?"],
      answer: ["Con gusto. ¿Qué modelo le interesa?", "A partir de diez, sí. ¿Para qué fecha?"],
      follow: ["El grande en gris, para el {day} si es posible.", "El mismo del pedido {order}."],
      settle: ["Gracias, {employee} le envía el presupuesto antes del {day}.", "Anotado, va por correo."],
      note: ["Buena oportunidad, llamar el {day}.", "Diez por ciento como mucho, dice dirección."],
    },
  ],
  picture: ["Aquí va una foto.", "Se ve así:"],
  thanks: ["Perfecto, ¡gracias!", "Genial, muchas gracias.", "Gracias, {employee}, me ayuda mucho."],
  closing: ["De nada, {customer}. ¡Buen día!", "Un placer. ¡Hasta pronto!"],
  templates: [
    { title: "retomar_contacto", text: "Perdone la espera. Responda SÍ si todavía nos necesita." },
    { title: "pedido_listo", text: "Su pedido está listo para recoger." },
    { title: "recordatorio_cita", text: "Le recordamos su cita de mañana. Responda para cambiarla." },
  ],
};
