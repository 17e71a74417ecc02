import { randomUUID } from 'node:crypto';
import { badIban, newBankAccount, signMandate, stripeIbans, type Method } from './stripeDebits';
import { accountBehind, attemptOf, kindOf, newBankPayment, refuseSetUpOnPage, withDetail } from './stripeRedirects';
import { failure, type Answered, type Fields } from './stripeAccounts';

/** The cards of the stand-in for Stripe: payment methods, confirmation tokens and setup intents. */

export interface SetupIntent {
  id: string;
  object: 'setup_intent';
  status: string;
  client_secret: string;
  customer: string;
  payment_method: string | null;
  payment_method_types: string[];
  usage: unknown;
  /** Of a set-up on a page of a bank: it names the mandate that the set-up has made. */
  latest_attempt: Fields | null;
  next_action: Fields | null;
  last_setup_error: Fields | null;
}

interface ConfirmationToken {
  id: string;
  object: 'confirmation_token';
  expires_at: number;
  payment_intent: string | null;
  setup_intent: string | null;
  payment_method_preview: Fields;
  use_stripe_sdk: true;
  method: Method;
}

export const declines: Record<string, Fields> = {
  '4000000000000002': { code: 'card_declined', decline_code: 'generic_decline' },
  '4000000000009995': { code: 'card_declined', decline_code: 'insufficient_funds' },
  '4000000000009987': { code: 'card_declined', decline_code: 'lost_card' },
  '4000000000000069': { code: 'expired_card' },
  '4000000000000119': { code: 'processing_error' },
};
/** The bank asks for an authentication of every charge. */
const alwaysAsks = '4000000000003220';
/** The bank asks once: not for charges without the payer after a set-up or a first charge. */
const asksOnce = '4000002500003155';

/** A token is used within 15 minutes. */
const usableSeconds = 900;

export function missing(id: string, param?: string): Answered {
  return failure(404, { type: 'invalid_request_error', code: 'resource_missing', message: `No such: ${id}`, param });
}

export const redirectTo = (id: string, return_url: unknown) => ({
  type: 'redirect_to_url',
  redirect_to_url: { url: `https://bank.example/${id}`, return_url },
});

/** Stripe's script lets the payer authenticate, unless the request says that it does not. */
export function nextAction(id: string, fields: Fields): Fields | null {
  const isForScript = fields['confirmation_token'] !== undefined && fields['use_stripe_sdk'] !== 'false';
  if (isForScript) return { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'stripe_3ds2_fingerprint' } };
  return fields['return_url'] === undefined ? null : redirectTo(id, fields['return_url']);
}

/** The customer has opened Link in the form. */
function newLink({ link }: Fields): Method {
  const { email } = link as { email: string };
  const billing_details = { name: 'Ana Petrova' };
  const number = '4242424242424242';
  return {
    id: `pm_${randomUUID()}`,
    object: 'payment_method',
    type: 'link',
    customer: null,
    link: { email },
    billing_details,
    number,
  };
}

/** Why a charge or a set-up of Link is refused; undefined if it is made. What is saved is charged without the payer. */
export function refuseLink({ type, customer }: Method, fields: Fields): Answered | undefined {
  if (type !== 'link') return undefined;
  const types = (fields['allowed_payment_method_types'] ?? []) as string[];
  const isNew = fields['confirmation_token'] !== undefined;
  const isFit = types.includes('link') && (isNew || (customer !== null && fields['off_session'] === 'true'));
  if (isFit) return undefined;
  return failure(400, { type: 'invalid_request_error', message: 'This needs the type link, and a mandate.' });
}

export function createCards() {
  const methods = new Map<string, Method>();
  const tokens = new Map<string, ConfirmationToken>();
  const setups = new Map<string, SetupIntent>();
  /** The methods whose payer has authenticated them. */
  const authenticated = new Set<string>();

  const newMethod = (fields: Fields): Method | undefined => {
    if (fields['type'] === 'sepa_debit') return newBankAccount(fields);
    if (fields['type'] === 'link') return newLink(fields);
    if (fields['type'] !== 'card' && fields['type'] !== undefined) return newBankPayment(fields);
    const { card, billing_details } = fields;
    const { number = '', exp_month, exp_year } = card as Record<string, string>;
    if (number.length < 16) return undefined;
    return {
      id: `pm_${randomUUID()}`,
      object: 'payment_method',
      type: 'card',
      customer: null,
      card: {
        brand: 'visa',
        last4: number.slice(-4),
        exp_month: Number(exp_month),
        exp_year: Number(exp_year),
        fingerprint: `fp_${number.slice(-4)}`,
      },
      billing_details: { name: (billing_details as { name?: string } | undefined)?.name ?? null },
      number,
    };
  };

  const badNumber = failure(402, {
    type: 'card_error',
    code: 'incorrect_number',
    param: 'number',
    message: 'Bad number.',
  });

  const addMethod = (fields: Fields): Answered => {
    const method = newMethod(fields);
    if (!method) return fields['type'] === 'sepa_debit' ? badIban : badNumber;
    methods.set(method.id, method);
    return { status: 200, body: shown(method) };
  };

  const addToken = ({ payment_method_data }: Fields): Answered => {
    const method = newMethod(payment_method_data as Fields);
    if (!method) return badNumber;
    const { type, card, link, billing_details } = method;
    const token: ConfirmationToken = {
      id: `ctoken_${randomUUID()}`,
      object: 'confirmation_token',
      expires_at: Math.floor(Date.now() / 1000) + usableSeconds,
      payment_intent: null,
      setup_intent: null,
      payment_method_preview: { type, customer: null, card, link, billing_details },
      use_stripe_sdk: true,
      method,
    };
    tokens.set(token.id, token);
    return readToken(token.id);
  };

  const readToken = (id: string): Answered => {
    const token = tokens.get(id);
    return token ? { status: 200, body: { ...token, method: undefined } } : missing(id, 'confirmation_token');
  };

  /** The card of an intent. A token becomes a payment method, once. */
  const take = (fields: Fields, intent: string): Method | Answered => {
    const { confirmation_token: tokenId, payment_method: methodId, customer } = fields as Record<string, string>;
    if (tokenId === undefined) {
      const method = methods.get(methodId ?? '');
      const isUsable = method && (method.customer === customer || kindOf(method) !== undefined);
      return isUsable ? method : missing(String(methodId));
    }
    const token = tokens.get(tokenId);
    if (!token) return missing(tokenId, 'confirmation_token');
    const isUsed = token.payment_intent !== null || token.setup_intent !== null;
    if (isUsed || token.expires_at * 1000 <= Date.now()) {
      const message = `The ConfirmationToken ${isUsed ? 'has been used' : 'has expired'}.`;
      return failure(400, { type: 'invalid_request_error', param: 'confirmation_token', message });
    }
    token[intent.startsWith('seti_') ? 'setup_intent' : 'payment_intent'] = intent;
    methods.set(token.method.id, token.method);
    return token.method;
  };

  const asks = ({ id, number }: Method, isOffSession: boolean): boolean =>
    number === alwaysAsks || (number === asksOnce && !(isOffSession && authenticated.has(id)));

  /** The customer keeps the method after the payer's bank has agreed. */
  const keep = (methodId: string | null, customer: string, isAuthenticated: boolean): void => {
    const method = methods.get(methodId ?? '');
    if (method) method.customer = customer;
    if (method && isAuthenticated) authenticated.add(method.id);
  };

  const setUp = (fields: Fields): Answered => {
    const id = `seti_${randomUUID()}`;
    const bankAccount = methods.get(String(fields['payment_method']));
    if (bankAccount?.type === 'sepa_debit') return signMandate(id, bankAccount, fields);
    const method = take(fields, id);
    if ('status' in method) return method;
    const refusal = declines[method.number];
    if (refusal) return failure(402, { type: 'card_error', message: 'Your card was declined.', ...refusal });
    const kind = kindOf(method);
    const unfit = refuseLink(method, fields) ?? (kind && refuseSetUpOnPage(kind, fields));
    if (unfit) return unfit;
    const isAsked = kind !== undefined || asks(method, false);
    const setup: SetupIntent = {
      id,
      object: 'setup_intent',
      status: isAsked ? 'requires_action' : 'succeeded',
      client_secret: `${id}_secret_${randomUUID()}`,
      customer: String(fields['customer']),
      payment_method: method.id,
      payment_method_types: [method.type],
      usage: fields['usage'],
      latest_attempt: null,
      next_action: isAsked ? nextAction(id, fields) : null,
      last_setup_error: null,
    };
    setups.set(id, setup);
    if (!isAsked) keep(method.id, setup.customer, false);
    return { status: 200, body: { ...setup } };
  };

  const readSetup = (id: string, fields: Fields = {}): Answered => {
    const setup = setups.get(id);
    return setup ? { status: 200, body: withDetail({ ...setup }, 'latest_attempt', fields) } : missing(id);
  };

  const cancelSetup = (id: string): Answered => {
    const setup = setups.get(id);
    if (setup?.status === 'succeeded')
      return failure(400, { type: 'invalid_request_error', code: 'setup_intent_unexpected_state', message: 'Done.' });
    if (setup) Object.assign(setup, { status: 'canceled', next_action: null });
    return readSetup(id);
  };

  /** A set-up on a page of a bank makes a mandate. False for a card and for PayPal, which can be charged themselves. */
  const settleOnPage = (setup: SetupIntent): boolean => {
    const method = methods.get(setup.payment_method ?? '');
    const kind = method && kindOf(method);
    if (!kind || kind === 'paypal') return false;
    const account = accountBehind(method, setup.customer, stripeIbans.paid);
    methods.set(account.id, account);
    setup.latest_attempt = attemptOf(kind, account);
    return true;
  };

  /** The payer's bank accepts or refuses. */
  const answerSetup = (setup: SetupIntent, isApproved: boolean): void => {
    if (setup.status !== 'requires_action') throw new Error(`${setup.id} waits for nobody`);
    setup.next_action = null;
    setup.status = isApproved ? 'succeeded' : 'requires_payment_method';
    if (isApproved && !settleOnPage(setup)) keep(setup.payment_method, setup.customer, true);
    if (!isApproved) setup.last_setup_error = { code: 'setup_intent_authentication_failure', message: 'Refused.' };
  };

  const expireTokens = () => {
    for (const token of tokens.values()) token.expires_at = 0;
  };

  return {
    methods,
    tokens,
    setups,
    ...{ addMethod, addToken, readToken, take, asks, keep, setUp, readSetup, cancelSetup, answerSetup, expireTokens },
  };
}

export function shown({ number: _number, ...method }: Method): Fields {
  return method;
}
