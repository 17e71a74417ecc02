import { awaitAuthentication, cloneConsumer } from '../world';
import { type Example, type Examples } from './example';

const waitingPayment: Pick<Example, 'unowned'> = {
  unowned: { 'params.reference': 'unguessable: who knows it is the payer, whom the bank knows and we do not' },
};

/** What belongs to no tenant's data: keys, health, the events, the sandbox's pages. */
export const serviceExamples: Examples = {
  getKeySet: { request: () => ({}) },
  getLiveness: { request: () => ({}) },
  getReadiness: { request: () => ({}) },
  receiveStripeNotification: { request: () => ({}), answers: 404 },
  showPaymentReturn: { request: () => ({}) },
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
