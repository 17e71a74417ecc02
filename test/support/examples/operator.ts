import { createMerchant } from '../factories';
import { insertRefused, putInState, type StateName } from '../operators';
import { type World } from '../world';
import { type Example, type Examples } from './example';

const everyMerchant = { 'params.id': 'an operator sees every merchant of the installation' };

async function another({ app }: World, state?: StateName): Promise<{ id: number }> {
  const merchant = await createMerchant(app);
  if (state !== undefined) await putInState(app, merchant, state);
  return { id: merchant.id };
}

const inState = (state?: StateName, body?: Record<string, unknown>): Example => ({
  request: async (world) => ({ params: await another(world, state), ...(body && { body }) }),
  unowned: everyMerchant,
});

/** A message that Temporal has refused. */
const ofMessage: Example = {
  request: async ({ app }) => ({ params: { id: await insertRefused(app) } }),
  unowned: { 'params.id': 'messages belong to the installation' },
};

export const operatorExamples: Examples = {
  listMerchants: { request: () => ({ query: { state: 'open', search: 'example', limit: 2 } }) },
  getMerchant: inState(),
  approveMerchant: inState('waiting'),
  suspendMerchant: inState(undefined, { reason: 'Mails to strangers.' }),
  resumeMerchant: inState('suspended'),
  listRefusedMessages: { request: () => ({ query: { limit: 2 } }) },
  sendRefusedMessage: ofMessage,
  discardRefusedMessage: ofMessage,
  getQueues: { request: () => ({}) },
  listOperatorActions: { request: () => ({ query: { limit: 2 } }) },
};
