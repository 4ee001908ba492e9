import { givenNameFirst, type Language } from "../language.js";

export const ptBr: Language = {
  tag: "pt-BR",
  phone: { prefix: "+55119", digits: 8 },
  fullName: givenNameFirst,
  days: ["segunda", "terça", "quarta", "quinta", "sexta", "sábado"],
  hello: ["Olá,", "Oi!", "Bom dia,", "Olá, {business},"],
  topics: [
    {
      ask: ["meu pedido {order} está pronto?", "alguma novidade do pedido {order}?"],
      answer: ["O pedido {order} saiu hoje cedo.", "Estamos embalando, sai na {day}."],
      follow: ["Posso retirar na loja?", "Alguém liga antes de entregar?"],
      settle: ["Claro, fica no balcão a partir de {day}.", "Sim, o entregador liga meia hora antes."],
      note: ["A transportadora diz que {order} já está na rota.", "De olho no {order}: segunda pergunta."],
    },
    {
      ask: ["vocês abrem na {day}?", "até que horas posso passar na {day}?"],
      answer: ["Na {day} estamos aqui das 9h às 19h.", "Sim, o dia todo, menos no almoço."],
      follow: ["Precisa marcar horário?", "Tem onde estacionar?"],
      settle: ["Não precisa, é só chegar.", "Atrás da loja, a primeira hora é grátis."],
      note: ["Equipe pequena na {day}, não prometer nada.", "Anotado para {day}."],
    },
    {
      ask: ["uma peça do pedido {order} chegou quebrada.", "não foi isso que eu pedi ({order})."],
      answer: ["Sinto muito. Pode mandar uma foto?", "Não era para acontecer. Vamos trocar."],
      follow: ["Preciso devolver o antigo?", "Quanto tempo leva a troca?"],
      settle: ["Não, pode ficar. O novo sai na {day}.", "Chega até {day}."],
      note: ["Terceiro pacote danificado no mês.", "Troca do {order} aprovada."],
    },
    {
      ask: ["fariam um orçamento de vinte peças?", "tem desconto para empresas?"],
      answer: ["Com prazer. Qual modelo?", "A partir de dez peças, sim. Para quando?"],
      follow: ["O grande, cinza, até {day} se der.", "O mesmo do pedido {order}."],
      settle: ["Obrigado, {employee} envia o orçamento até {day}.", "Anotado, vai por e-mail."],
      note: ["Boa oportunidade, ligar na {day}.", "Dez por cento no máximo, diz a gerência."],
    },
  ],
  picture: ["Segue uma foto.", "Está assim:"],
  thanks: ["Perfeito, obrigado!", "Ótimo, muito obrigada.", "Valeu, {employee}, ajudou muito."],
  closing: ["De nada, {customer}. Tenha um bom dia!", "Imagina. Até logo!"],
  templates: [
    { title: "retomada_contato", text: "Desculpe a demora. Responda SIM se ainda precisa de nós." },
    { title: "pedido_pronto", text: "Seu pedido está pronto para retirada." },
    { title: "lembrete_horario", text: "Lembrete: seu horário é amanhã. Responda para remarcar." },
  ],
};
