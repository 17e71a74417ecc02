import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { pageMethods } from '../../src/adapters/cardProviders/redirects';
import { bankAnswers, SentCharge, SentEvidence, SentRefund } from '../../src/adapters/cardProviders/sandboxWire';
import { type Account } from './account';
import { type OpenAccount } from './accounts';
import { type Notifications } from './notifications';
import { refusalOf } from './outcomes';
import { InvalidField, NoAnswer, Refusal } from './refusal';
import { type Answer, type ReceivedRequest } from './server';

/** The API of the provider, under `/v1`. Requests carry the account's key. */

const TypedCard = z.object({
  number: z.string(),
  holderName: z.string(),
  expiryMonth: z.int(),
  expiryYear: z.int(),
});
const FormCard = z.object({ paymentToken: z.string() });
const BankAccount = z.object({ iban: z.string(), holderName: z.string() });
const Tokens = z.object({ tokens: z.array(z.string()) });
const Setup = z.object({ token: z.string(), returnUrl: z.url().optional() });
const Confirmation = z.object({ key: z.string(), reference: z.string(), returnUrl: z.url().optional() });
const Keyed = z.object({ key: z.string(), at: z.iso.datetime().optional() });
const AnswerGiven = z.object({ answer: z.enum(bankAnswers) });
const Redirect = z.object({ method: z.enum(pageMethods) });

interface Call {
  account: Account;
  notifications: Notifications;
  body: unknown;
  query: (name: string) => string | undefined;
  /** The part of the path after its first word. */
  name: string;
}

const routes: Record<string, (call: Call) => object> = {
  'POST cards': ({ account, body }) => account.addTypedCard(TypedCard.parse(body)),
  'POST form-cards': ({ account, body }) => account.addFormCard(FormCard.parse(body).paymentToken),
  'POST forgotten-cards': ({ account, body }) => {
    account.forgetCards(Tokens.parse(body).tokens);
    return {};
  },
  'POST mandates': ({ account, body }) => account.createMandate(BankAccount.parse(body)),
  'POST redirects': ({ account, body }) => account.beginRedirect(Redirect.parse(body).method),
  'POST setups': ({ account, body }) => account.setUpCard(Setup.parse(body)),
  'GET setups': ({ account, name }) => account.lookUpSetup(name),
  'POST voided-setups': ({ account, name }) => account.voidSetup(name),
  'POST charges': ({ account, body }) => account.charge(SentCharge.parse(body)),
  'GET charges': ({ account, query }) => account.lookUpCharge(query('key') ?? '', query('at')),
  'POST confirmed-charges': ({ account, body }) => {
    const { key, ...confirmation } = Confirmation.parse(body);
    return account.confirmCharge(key, confirmation);
  },
  'POST voided-charges': ({ account, body }) => {
    const { key, at } = Keyed.parse(body);
    return account.voidCharge(key, at);
  },
  'POST refunds': ({ account, body }) => account.refund(SentRefund.parse(body)),
  'GET refunds': ({ account, query }) => account.lookUpRefund(query('key') ?? ''),
  'GET disputes': ({ account, name }) => account.disputes.get(name),
  'POST evidence': ({ account, notifications, name, body }) => {
    const dispute = account.disputes.submit(name, SentEvidence.parse(body));
    notifications.publish({ about: 'dispute', reference: dispute.chargeReference, dispute });
    return dispute;
  },
  'GET returns': ({ account, query }) => account.findReturn(query('key') ?? '', query('at') ?? '') ?? {},
  'GET payments': ({ account, query }) => ({ payments: account.listPayments(query('since') ?? '') }),
  'GET balance': ({ account, query }) => ({ transactions: account.listBalance(query('since') ?? '') }),
  'GET authentications': ({ account, name }) => {
    const found = account.findAuthentication(name);
    if (!found) throw new Refusal(404, 'unknown_payment', 'Nothing waits under this reference.');
    return found;
  },
  'POST authentications': ({ account, name, body }) => ({
    returnUrl: account.answerAuthentication(name, AnswerGiven.parse(body).answer),
  }),
};

/** Answers a request of the API, with the fault that is planned for it. */
export async function answerApi(open: OpenAccount, request: ReceivedRequest): Promise<Answer | undefined> {
  const { faults } = open;
  const [, word = '', name = ''] = request.parts;
  const fault = faults.take(word);
  if (fault?.kind === 'cut') return undefined;
  if (fault?.kind === 'hang') return new Promise(() => {});
  if (fault?.kind === 'limited') return errorOf(new Refusal(429, 'rate_limited', 'Too many requests.'));
  if (fault?.kind === 'unavailable')
    return errorOf(new Refusal(503, 'unavailable', 'The sandbox does not answer now.'));
  const answer = run(open, request, word, name);
  if (fault?.kind === 'late') await sleep(fault.lateMs);
  const slowMs = answer?.slowMs ?? 0;
  if (slowMs > 0) await sleep(slowMs);
  return fault?.kind === 'lost' ? undefined : answer;
}

/** A restricted account begins nothing of these. */
const restrictedPaths = ['charges', 'confirmed-charges', 'setups', 'refunds', 'mandates', 'redirects'];

function run(open: OpenAccount, { method, query, body }: ReceivedRequest, word: string, name: string) {
  const { account, notifications, faults } = open;
  const route = routes[`${method} ${word}`];
  if (!route) return errorOf(new Refusal(404, 'unknown_path', 'The sandbox has no such path.'));
  try {
    const fields: unknown = body === '' ? {} : JSON.parse(body);
    if (
      faults.isRestricted &&
      method === 'POST' &&
      restrictedPaths.includes(word) &&
      !isRepeated(account, word, fields)
    )
      throw refusalOf('misconfigured');
    const token = z.object({ token: z.string() }).safeParse(fields).data?.token;
    const slowMs = word === 'charges' && token !== undefined ? account.slowness(token) : 0;
    const answered = route({
      account,
      notifications,
      body: fields,
      name,
      query: (field) => query.get(field) ?? undefined,
    });
    return { status: 200, body: answered, slowMs };
  } catch (error) {
    return error instanceof NoAnswer ? undefined : errorOf(error);
  }
}

/** The answer to a charge that was made before the restriction does not change. */
const isRepeated = (account: Account, word: string, fields: unknown) => {
  const { data } = z.object({ idempotencyKey: z.string() }).safeParse(fields);
  return word === 'charges' && data !== undefined && account.isCharged(data.idempotencyKey);
};

function errorOf(error: unknown): Answer & { slowMs?: number } {
  if (error instanceof InvalidField) {
    const { status, code, message, field } = error;
    return { status, body: { error: { code, message, field } } };
  }
  if (error instanceof Refusal)
    return { status: error.status, body: { error: { code: error.code, message: error.message } } };
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return { status: 400, body: { error: { code: 'bad_request', message: error.message } } };
  console.error(error);
  return { status: 500, body: { error: { code: 'internal', message: 'The sandbox has failed.' } } };
}
