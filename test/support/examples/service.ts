import { cards } from '../factories';
import { awaitAuthentication, cloneConsumer, type World } from '../world';
import { type Example, type Examples } from './example';
import { paypalLink } from './paypal';

const waitingPayment: Pick<Example, 'unowned'> = {
  unowned: { 'params.reference': 'unguessable: who knows it is the payer, whom the bank knows and we do not' },
};

const mailedLink: Pick<Example, 'unowned'> = {
  unowned: { 'params.token': 'sealed and mailed: who knows it is the payer' },
};

/** The link to the payment of a subscription that owes nothing. */
async function paymentLink(world: World) {
  const { pi } = await awaitAuthentication(world, await cloneConsumer(world));
  const text = 'SELECT subscription_id AS id, cycle FROM charges WHERE reference = $1';
  const { rows } = await world.app.pool.query<{ id: number; cycle: number }>(text, [pi]);
  const { payUrl } = await import('../../../src/subscriptions/mailLinks/links.js');
  return {
    params: {
      token:
        payUrl(rows[0] ?? { id: 0, cycle: 0 })
          .split('/')
          .at(-1) ?? '',
    },
  };
}

/** The links of mails about a subscription that is paid with a card. */
async function mailLink(world: World, kind: 'card' | 'keep') {
  const { pi } = await awaitAuthentication(world, await cloneConsumer(world));
  const text =
    'SELECT s.id, s.card_id AS "cardId" FROM charges c JOIN subscriptions s ON s.id = c.subscription_id WHERE c.reference = $1';
  const { rows } = await world.app.pool.query<{ id: number; cardId: number }>(text, [pi]);
  const { cardUrl, keepUrl } = await import('../../../src/subscriptions/mailLinks/links.js');
  const row = rows[0] ?? { id: 0, cardId: 0 };
  const url = kind === 'card' ? cardUrl(row) : keepUrl(row, new Date());
  return { params: { token: url.slice(url.lastIndexOf('/') + 1) } };
}

const typedCard = { number: cards.success, card_name: 'Ana Petrova', exp_month: '2', exp_year: '30', cvv: '123' };

/** The link to the confirmation of a charge that waits for its payer. */
async function confirmation(world: World) {
  const { pi } = await awaitAuthentication(world, await cloneConsumer(world));
  const { rows } = await world.app.pool.query<{ id: number }>('SELECT id FROM charges WHERE reference = $1', [pi]);
  const { confirmationUrl } = await import('../../../src/subscriptions/charges/links.js');
  return {
    params: {
      token:
        confirmationUrl(rows[0]?.id ?? 0)
          .split('/')
          .at(-1) ?? '',
    },
  };
}

/** Endpoints that belong to no tenant: keys, health, events, pages of the sandbox. */
export const serviceExamples: Examples = {
  getKeySet: { request: () => ({}) },
  getLiveness: { request: () => ({}) },
  getReadiness: { request: () => ({}) },
  receiveStripeNotification: { request: () => ({}), answers: 404 },
  receiveSandboxNotification: { request: () => ({}), answers: 400 },
  showPaymentReturn: { request: () => ({}) },
  showPaymentConfirmation: { request: confirmation, ...mailedLink },
  submitPaymentConfirmation: { request: confirmation, ...mailedLink, answers: 303 },
  showExternalPayment: { request: paypalLink, unowned: { 'params.token': 'sealed: who knows it is the payer' } },
  showPaymentLink: { request: paymentLink, ...mailedLink },
  submitPaymentLink: { request: paymentLink, ...mailedLink },
  showCardLink: { request: (world) => mailLink(world, 'card'), ...mailedLink },
  submitCardLink: {
    request: async (world) => ({ ...(await mailLink(world, 'card')), body: typedCard }),
    unowned: {
      ...mailedLink.unowned,
      'body.payment_token': 'of the card provider’s form, and nobody’s until it is sent here',
    },
    answers: 303,
  },
  showKeepLink: { request: (world) => mailLink(world, 'keep'), ...mailedLink },
  submitKeepLink: { request: (world) => mailLink(world, 'keep'), ...mailedLink },
  getChannelKeys: { request: () => ({}) },
  listEvents: { request: () => ({ query: { after: 0, limit: 10 } }) },
  showSandboxAuthentication: {
    request: async (world) => ({
      params: { reference: (await awaitAuthentication(world, await cloneConsumer(world))).pi },
    }),
    ...waitingPayment,
  },
  answerSandboxAuthentication: {
    request: async (world) => ({
      params: { reference: (await awaitAuthentication(world, await cloneConsumer(world))).pi },
      body: { answer: 'refused' },
    }),
    ...waitingPayment,
  },
};
