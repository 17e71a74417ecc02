import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import qs from 'qs';
import { fromStripeAmount } from '../../src/adapters/cardProviders/stripeAmounts';
import { findCapability } from '../../src/billing/capabilities';
import {
  addFile,
  createAccount,
  failure,
  type Answered,
  type Fields,
  type StripeStandInAccount,
} from './stripeAccounts';
import { answerPlatform, isPlatform, platformKeys, revoked } from './stripePlatform';
import { createBooks, type StripeBooks } from './stripeBooks';
import { decideDebit, isDebit, refuseDebit, stripeIbans, type Method } from './stripeDebits';
import { accountBehind, chargeOf, isAgreed, kindOf, refuseAgreed, refuseOnPage, withDetail } from './stripeRedirects';
import { createStripeTaxes, type StripeTaxes } from './stripeTaxes';
import {
  createCards,
  declines,
  missing,
  nextAction,
  redirectTo,
  refuseLink,
  shown,
  type SetupIntent,
} from './stripeTokens';

/**
 * A small server that speaks Stripe's protocol as far as the adapter uses it, with a ledger of its own, and that can do
 * what no mock of Stripe can: decline, ask for an authentication, lose answers, be slow, be wrong.
 */

interface Intent {
  id: string;
  object: 'payment_intent';
  amount: number;
  currency: string;
  status: string;
  client_secret: string;
  payment_method: string | null;
  customer: string;
  metadata: Record<string, string>;
  payment_method_types: string[];
  next_action: Fields | null;
  last_payment_error: Fields | null;
  off_session: boolean;
  latest_charge: Fields | null;
  /** The payment makes a mandate. */
  saves: boolean;
  setup_future_usage: unknown;
  refundsLate: boolean;
  created: number;
}

/** The fault of the next request to a path. The work may be done or not. */
export type Fault =
  'lose the answer' | 'refuse before the work' | '500 after the work' | '429' | '429 for an hour' | 'garbage' | 'hang';

/** The bank accepts these cards when they are saved. */
const declinesWhenCharged: Record<string, Fields> = {
  '4000000000000341': { code: 'card_declined', decline_code: 'generic_decline' },
};
/** Its refunds stay pending until a test decides them. */
export const refundsLate = '4000000000007726';

export interface StripeServer {
  url: string;
  books: StripeBooks;
  taxes: StripeTaxes;
  intents: Map<string, Intent>;
  refunds: Fields[];
  customers: Map<string, Fields>;
  setups: Map<string, SetupIntent>;
  /** Every confirmation token is now older than 15 minutes. */
  expireTokens(): void;
  /** `times` 2 for a broken connection: the library itself asks a second time, under the same key. */
  fail(path: string, fault: Fault, times?: number): void;
  /** Refuses every request to a path until `mend`. Like Stripe, it stores answers from 400 to 404 under the key. */
  refuse(path: string, status: number, error: Fields): void;
  /** The POST requests, oldest first. */
  sent: { path: string; key: string | undefined; account: string | undefined; fields: Fields }[];
  /** A further account with keys of its own. It sees nothing of the others. */
  addAccount(name: string): StripeStandInAccount & Ledger;
  /** The accounts, those that the platform has opened among them. */
  accounts: (StripeStandInAccount & Ledger)[];
  /** Ends all faults. */
  mend(): void;
  /** Forgets all keys, as Stripe does after a day: a repetition has a second effect. */
  forgetKeys(): void;
  /** The banks decide on all debits that they have. */
  decideDebits(): void;
  /** Called right before the next cancellation is processed. */
  beforeCancel(happening: () => void): void;
  /** The payer's bank accepts or refuses. */
  answerAuthentication(intentId: string, isApproved: boolean): void;
  /** The payer pays an intent with a wallet. Without an approval the bank declines its card. */
  payByWallet(intentId: string, isApproved: boolean, declineCode?: string): void;
  /** The process may end without `stop`. */
  unref(): void;
  stop(): Promise<void>;
}

/** The settings of a service that charges cards at this server. */
export const stripeSettings = ({ url }: Pick<StripeServer, 'url'>) => ({
  CARD_PROVIDER: 'stripe',
  STRIPE_FOR_ALL_MERCHANTS: 'true',
  STRIPE_SECRET_KEY: 'sk_test_1',
  STRIPE_PUBLISHABLE_KEY: 'pk_test_1',
  STRIPE_WEBHOOK_SECRET: 'whsec_test',
  STRIPE_API_BASE: url,
  STRIPE_RAW_CARDS: 'true',
});

export async function startStripeServer(): Promise<StripeServer> {
  const ledger = createLedger();
  const accounts: (StripeStandInAccount & Ledger)[] = [];
  const faults = new Map<string, Fault[]>();
  const refusals = new Map<string, Answered>();
  const sent: StripeServer['sent'] = [];
  const answers = new Map<string, { sent: string; answered: Answered }>();

  const openAccount = (name: string) => {
    const account = Object.assign(createAccount(name), createLedger());
    accounts.push(account);
    return account;
  };
  const askPlatform = (verb: string, path: string, fields: Fields) => {
    const open = () => Object.assign(openAccount(randomUUID().replaceAll('-', '').slice(0, 12)), platformKeys);
    return answerPlatform({ verb, path, fields }, { open, find: (id) => accounts.find((one) => one.id === id) });
  };

  const handle = (method: string, path: string, body: string, { key: given, bearer, below }: Sent): Answered => {
    const account = isPlatform(bearer)
      ? accounts.find(({ id }) => id === below)
      : accounts.find((one) => one.secretKey === bearer || one.publishableKey === bearer);
    const key = given === undefined ? undefined : `${account?.id}:${given}`;
    const known = key === undefined ? undefined : answers.get(key);
    if (refusals.get(path)?.status === 401) return unauthorized;
    if (below !== undefined && account?.isAuthorized !== true) return revoked;
    if (!account && !isPlatform(bearer) && accounts.length > 0 && !['', 'sk_test_1', 'pk_test_1'].includes(bearer))
      return unauthorized;
    if (known && known.sent !== `${path}\n${body}`)
      return failure(400, { type: 'idempotency_error', message: 'Keys for idempotent requests may be used once.' });
    if (known) return known.answered;
    const refusal = refusals.get(path);
    const fields = body.startsWith('--') ? { multipart: body } : qs.parse(body);
    const answered =
      refusal ??
      (isPlatform(bearer) && below === undefined ? askPlatform(method, path, fields) : undefined) ??
      account?.answerAccount(method, path, fields, bearer) ??
      (account ?? ledger).answer(method, path, fields);
    if (key !== undefined) answers.set(key, { sent: `${path}\n${body}`, answered });
    return answered;
  };

  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const [path = '', query = ''] = (request.url ?? '').split('?');
      const fault = faults.get(path)?.pop();
      if (fault === 'refuse before the work') return request.socket.destroy();
      if (fault === '429') return write(response, failure(429, { type: 'invalid_request_error', code: 'rate_limit' }));
      if (fault === '429 for an hour')
        return write(response, failure(429, { type: 'invalid_request_error', code: 'rate_limit' }), {
          'Retry-After': 3600,
        });
      const key = request.headers['idempotency-key'] as string | undefined;
      const below = request.headers['stripe-account'] as string | undefined;
      if (request.method === 'POST')
        sent.push({ path, key, account: below, fields: body.startsWith('--') ? {} : qs.parse(body) });
      const bearer = (request.headers.authorization ?? '').replace('Bearer ', '');
      const answered = handle(request.method ?? '', path, body || query, { key, bearer, below });
      if (fault === 'lose the answer') return request.socket.destroy();
      if (fault === 'hang') return;
      if (fault === 'garbage') return response.writeHead(200, { 'Content-Type': 'application/json' }).end('<html>');
      if (fault === '500 after the work') return write(response, failure(500, { type: 'api_error' }));
      write(response, answered);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...ledger,
    fail: (path, fault, times = 1) => void faults.set(path, Array<Fault>(times).fill(fault)),
    refuse: (path, status, error) => void refusals.set(path, failure(status, error)),
    sent,
    addAccount: openAccount,
    accounts,
    mend: () => {
      faults.clear();
      refusals.clear();
    },
    forgetKeys: () => answers.clear(),
    unref: () => server.unref(),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Sent {
  key: string | undefined;
  bearer: string;
  /** The connected account for which the platform asks. */
  below: string | undefined;
}

type Ledger = ReturnType<typeof createLedger>;

function createLedger() {
  const customers = new Map<string, Fields>();
  const cards = createCards();
  const { methods, setups } = cards;
  const intents = new Map<string, Intent>();
  const refunds: Fields[] = [];
  const books = createBooks();
  const { taxes, answerTax } = createStripeTaxes();

  const answer = (verb: string, path: string, fields: Fields): Answered => {
    const [, , kind = '', id = '', action = ''] = path.split('/');
    const route = `${verb} ${kind}${id === '' || id === 'search' ? '' : '/{id}'}${action === '' ? '' : `/${action}`}`;
    if (kind === 'tax') return answerTax(path, fields);
    if (route === 'GET payment_intents' && id === 'search')
      return { status: 200, body: search(String(fields['query'])) };
    if (route === 'GET payment_intents') return { status: 200, body: listOf(fields) };
    if (route === 'GET payment_intents/{id}') return retrieve(id, fields);
    if (route === 'POST customers') return ok(customers, 'cus', { object: 'customer', ...fields });
    if (route === 'DELETE customers/{id}') return remove(id);
    if (route === 'POST payment_methods') return cards.addMethod(fields);
    if (route === 'POST confirmation_tokens') return cards.addToken(fields);
    if (route === 'GET confirmation_tokens/{id}') return cards.readToken(id);
    if (route === 'POST 3ds2/{id}') return authenticate(fields);
    if (route === 'POST wallets/{id}') return confirmByWallet(fields);
    if (route === 'POST payment_methods/{id}/attach') return attach(id, fields['customer'] as string);
    if (route === 'POST payment_methods/{id}/detach') return attach(id, null);
    if (route === 'POST payment_intents') return pay(fields);
    if (route === 'POST setup_intents') return cards.setUp(fields);
    if (route === 'GET setup_intents/{id}') return cards.readSetup(id, fields);
    if (route === 'POST setup_intents/{id}/cancel') return cards.cancelSetup(id);
    if (route === 'POST payment_intents/{id}/cancel') return cancel(id);
    if (route === 'POST payment_intents/{id}/confirm') return confirm(id, fields);
    if (route === 'POST refunds') return refund(fields);
    if (route === 'GET balance_transactions') return books.list([...intents.values()], refunds, fields);
    if (route === 'GET disputes/{id}') return books.retrieveDispute(id);
    if (route === 'POST disputes/{id}') return books.submitEvidence(id);
    if (route === 'POST files') return addFile(new Map(), fields);
    if (route === 'GET refunds/{id}') return retrieveRefund(id);
    if (route === 'GET refunds')
      return {
        status: 200,
        body: {
          object: 'list',
          data: refunds.filter((made) => isListedRefund(made, fields)),
          has_more: false,
          url: '/v1/refunds',
        },
      };
    return failure(404, { type: 'invalid_request_error', message: `No such path: ${route}` });
  };

  const listOf = ({ customer, created }: Fields): Fields => {
    const sinceSeconds = Number((created as { gte?: string } | undefined)?.gte ?? 0);
    const isListed = (intent: Intent) =>
      (customer === undefined || intent.customer === customer) && intent.created >= sinceSeconds;
    const data = [...intents.values()].filter(isListed).reverse();
    return { object: 'list', data, has_more: false, url: '/v1/payment_intents' };
  };

  /** By one field of the metadata: `metadata['name']:'value'`. */
  const search = (query: string): Fields => {
    const [, name = '', value = ''] = /^metadata\['(.+)'\]:'(.+)'$/.exec(query) ?? [];
    const data = [...intents.values()].filter(({ metadata }) => metadata[name] === value);
    return { object: 'search_result', data, has_more: false, url: '/v1/payment_intents/search' };
  };

  const retrieve = (id: string, fields: Fields): Answered => {
    const intent = intents.get(id);
    return intent ? { status: 200, body: withDetail({ ...intent }, 'latest_charge', fields) } : missing(id);
  };

  const retrieveRefund = (id: string): Answered => {
    const refund = refunds.find((made) => made['id'] === id);
    return refund ? { status: 200, body: { ...refund } } : missing(id, 'refund');
  };

  const attach = (id: string, customer: string | null): Answered => {
    const method = methods.get(id);
    if (!method) return missing(id, 'payment_method');
    if (customer !== null && !customers.has(customer)) return missing(customer, 'customer');
    method.customer = customer;
    return { status: 200, body: shown(method) };
  };

  const pay = (fields: Fields): Answered => {
    const id = `pi_${randomUUID()}`;
    if (fields['confirm'] === undefined) return begin(id, fields);
    const method = cards.take(fields, id);
    if ('status' in method) return method;
    const kind = isAgreed(method) ? undefined : kindOf(method);
    const isRefused = refuseAmount(fields) ?? refuse(method, fields);
    if (isRefused) return isRefused;
    const isOffSession = fields['off_session'] === 'true';
    const refusal = declines[method.number] ?? declinesWhenCharged[method.number];
    const asks = kind !== undefined || cards.asks(method, isOffSession);
    const error = refusal ?? (asks && isOffSession ? { code: 'authentication_required' } : null);
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount: Number(fields['amount']),
      currency: String(fields['currency']),
      status: isDebit(method) ? 'processing' : statusOf(error, asks),
      customer: String(fields['customer']),
      metadata: (fields['metadata'] ?? {}) as Record<string, string>,
      payment_method_types: fields['allowed_payment_method_types'] as string[],
      client_secret: `${id}_secret_${randomUUID()}`,
      payment_method: error ? null : method.id,
      next_action: asks && !error ? nextAction(id, fields) : null,
      last_payment_error: error && { type: 'card_error', message: 'Your card was declined.', ...error },
      off_session: isOffSession,
      latest_charge: null,
      saves: fields['setup_future_usage'] !== undefined,
      setup_future_usage: fields['setup_future_usage'] ?? null,
      refundsLate: method.number === refundsLate,
      created: Math.floor(Date.now() / 1000),
    };
    intents.set(id, intent);
    if (intent.status === 'succeeded') cards.keep(method.id, intent.customer, false);
    if (!error) return { status: 200, body: { ...intent } };
    return failure(402, { ...intent.last_payment_error, payment_intent: intent });
  };

  /** An intent that its payer confirms with the script of Stripe. */
  const begin = (id: string, fields: Fields): Answered => {
    const isRefused = refuseAmount(fields);
    if (isRefused) return isRefused;
    const intent: Intent = {
      id,
      object: 'payment_intent',
      amount: Number(fields['amount']),
      currency: String(fields['currency']),
      status: 'requires_payment_method',
      customer: String(fields['customer']),
      metadata: (fields['metadata'] ?? {}) as Record<string, string>,
      payment_method_types: fields['allowed_payment_method_types'] as string[],
      client_secret: `${id}_secret_${randomUUID()}`,
      payment_method: null,
      next_action: null,
      last_payment_error: null,
      off_session: false,
      latest_charge: null,
      saves: false,
      setup_future_usage: null,
      refundsLate: false,
      created: Math.floor(Date.now() / 1000),
    };
    intents.set(id, intent);
    return { status: 200, body: { ...intent } };
  };

  /** The payer confirms an intent with a card of the wallet. Without an approval the bank declines the card. */
  const payByWallet = (id: string, isApproved: boolean, code = 'card_declined'): void => {
    const intent = intents.get(id);
    if (intent?.status !== 'requires_payment_method') throw new Error(`${id} waits for no wallet`);
    if (isApproved) Object.assign(intent, { status: 'succeeded', last_payment_error: null });
    else intent.last_payment_error = { code, message: 'Your card was declined.' };
  };

  /** Stripe's script in the browser confirms an intent. */
  const confirmByWallet = ({ client_secret: secret, answer: given }: Fields): Answered => {
    const waiting = [...intents.values()].find((one) => one.client_secret === secret);
    if (!waiting) return missing(String(secret));
    payByWallet(waiting.id, given === 'complete');
    return { status: 200, body: { object: waiting.object, id: waiting.id, status: waiting.status } };
  };

  const refuse = (method: Method, fields: Fields): Answered | undefined => {
    if (isDebit(method)) return refuseDebit(method, fields);
    if (isAgreed(method)) return refuseAgreed(method, fields);
    const unfit = refuseLink(method, fields);
    if (unfit) return unfit;
    const kind = kindOf(method);
    return kind && refuseOnPage(kind, fields);
  };

  /** The payer is present. As at Stripe, an intent that waits for its payer already is refused. */
  const confirm = (id: string, fields: Fields): Answered => {
    const intent = intents.get(id);
    const method = methods.get(String(fields['payment_method']));
    if (!intent || method?.customer !== intent.customer) return missing(id);
    if (intent.status !== 'requires_payment_method')
      return failure(400, { type: 'invalid_request_error', code: 'payment_intent_unexpected_state', message: 'No.' });
    intent.status = 'requires_action';
    intent.off_session = false;
    intent.last_payment_error = null;
    intent.next_action = redirectTo(id, fields['return_url']);
    return { status: 200, body: { ...intent } };
  };

  let happening: (() => void) | undefined;
  const cancel = (id: string): Answered => {
    happening?.();
    happening = undefined;
    const intent = intents.get(id);
    if (!intent) return missing(id);
    if (intent.status === 'succeeded' || intent.status === 'processing')
      return failure(400, { type: 'invalid_request_error', code: 'payment_intent_unexpected_state', message: 'Paid.' });
    intent.status = 'canceled';
    return { status: 200, body: { ...intent } };
  };

  const decideDebits = () => {
    for (const intent of intents.values()) decideDebit(intent, methods.get(intent.payment_method ?? ''));
  };

  const refund = (fields: Fields): Answered => {
    const intent = intents.get(String(fields['payment_intent']));
    if (!intent) return missing(String(fields['payment_intent']));
    const before = refunds.filter(({ payment_intent }) => payment_intent === intent.id);
    const refunded = before.reduce((sum, { amount }) => sum + Number(amount), 0);
    const amount = Number(fields['amount'] ?? intent.amount);
    const isDisputed = [...books.disputes.values()].some(
      ({ payment_intent, status }) => payment_intent === intent.id && status !== 'won',
    );
    if (isDisputed)
      return failure(400, { type: 'invalid_request_error', code: 'charge_disputed', message: 'It is disputed.' });
    if (intent.status !== 'succeeded' || refunded + amount > intent.amount)
      return failure(400, { type: 'invalid_request_error', code: 'charge_already_refunded', message: 'Too much.' });
    const made = {
      id: `re_${randomUUID()}`,
      object: 'refund',
      status: intent.refundsLate ? 'pending' : 'succeeded',
      payment_intent: intent.id,
      amount,
      currency: intent.currency,
      created: Math.floor(Date.now() / 1000),
      metadata: fields['metadata'] ?? {},
    };
    refunds.push(made);
    return { status: 200, body: made };
  };

  const answerAuthentication = (id: string, isApproved: boolean): void => {
    const setup = setups.get(id);
    if (setup) return cards.answerSetup(setup, isApproved);
    const intent = intents.get(id);
    if (intent?.status !== 'requires_action') throw new Error(`${id} waits for nobody`);
    intent.status = isApproved ? 'succeeded' : 'requires_payment_method';
    intent.next_action = null;
    if (isApproved && settleOnPage(intent)) return;
    if (isApproved) return cards.keep(intent.payment_method, intent.customer, true);
    intent.last_payment_error = { code: 'payment_intent_authentication_failure', message: 'Refused.' };
  };

  /** A payment on a page of the bank makes the mandate that the payer has agreed to. False for a card. */
  const settleOnPage = (intent: Intent): boolean => {
    const method = methods.get(intent.payment_method ?? '');
    const kind = method && kindOf(method);
    if (!kind) return false;
    if (kind === 'paypal' && intent.saves) method.customer = intent.customer;
    const account =
      intent.saves && kind !== 'paypal' ? accountBehind(method, intent.customer, stripeIbans.paid) : undefined;
    if (account) methods.set(account.id, account);
    intent.latest_charge = chargeOf(kind, account);
    return true;
  };

  /** Stripe's script in the browser reports the answer of the payer. */
  const authenticate = ({ client_secret: secret, answer: given }: Fields): Answered => {
    const waiting = [...intents.values(), ...setups.values()].find((one) => one.client_secret === secret);
    if (!waiting) return missing(String(secret));
    answerAuthentication(waiting.id, given === 'complete');
    return { status: 200, body: { object: waiting.object, id: waiting.id, status: waiting.status } };
  };

  const remove = (id: string): Answered => {
    if (!customers.delete(id)) return missing(id);
    for (const method of methods.values()) if (method.customer === id) method.customer = null;
    return { status: 200, body: { id, object: 'customer', deleted: true } };
  };

  return {
    answer,
    payByWallet,
    intents,
    refunds,
    books,
    customers,
    methods,
    setups,
    tokens: cards.tokens,
    expireTokens: cards.expireTokens,
    decideDebits,
    taxes,
    beforeCancel: (next: () => void) => void (happening = next),
    answerAuthentication,
  };
}

function statusOf(error: Fields | null, asks: boolean): string {
  if (error) return 'requires_payment_method';
  return asks ? 'requires_action' : 'succeeded';
}

function isListedRefund(made: Fields, { payment_intent: intent, created }: Fields): boolean {
  const sinceSeconds = Number((created as { gte?: string } | undefined)?.gte ?? 0);
  return (intent === undefined || made['payment_intent'] === intent) && Number(made['created']) >= sinceSeconds;
}

/** Authentication comes before idempotency keys. */
const unauthorized = failure(401, { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_*1' });

function ok(into: Map<string, Fields>, prefix: string, fields: Fields): Answered {
  const id = `${prefix}_${randomUUID()}`;
  const body = { id, ...fields };
  into.set(id, body);
  return { status: 200, body };
}

function write(response: ServerResponse, { status, body }: Answered, headers: Record<string, number> = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Request-Id': `req_${randomUUID()}`, ...headers });
  response.end(JSON.stringify(body));
}

/** Stripe refuses an amount below the minimum of its currency. */
function refuseAmount({ amount, currency }: Fields): Answered | undefined {
  const code = String(currency).toUpperCase();
  const least = findCapability(code)?.least ?? 0;
  if (fromStripeAmount(Number(amount), code) >= least) return undefined;
  const message = `Amount must be at least ${least} in ${code}.`;
  return failure(400, { type: 'invalid_request_error', code: 'amount_too_small', message });
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
