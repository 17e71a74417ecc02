import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import { createStripe } from '../../../src/adapters/cardProviders/stripe';
import { type Lane, type Pace } from '../../../src/adapters/cardProviders/pace';
import { type CardDetails, type ChargeRequest } from '../../../src/adapters/cardProviders/provider';
import { startStripeServer, type StripeServer } from '../../support/stripeServer';

const intentsPath = '/v1/payment_intents';
const cards = {
  success: '4242424242424242',
  declined: '4000000000000002',
  noFunds: '4000000000009995',
  lost: '4000000000009987',
  bankAway: '4000000000000119',
  expired: '4000000000000069',
  needsAuthentication: '4000000000003220',
};

let server: StripeServer;
beforeAll(async () => {
  server = await startStripeServer();
});
afterAll(() => server.stop());

/** Of requests that get no answer. The others wait longer: an answer may take a second on a busy machine. */
const impatient = { timeoutMs: 1_000 };

const provider = (of: { acceptsRawCards?: boolean; apiBase?: string; pace?: Pace; timeoutMs?: number } = {}) =>
  createStripe({
    secretKey: 'sk_test_1',
    webhookSecret: 'whsec_1',
    returnUrl: 'https://paywall.example/payments/return',
    apiBase: server.url,
    acceptsRawCards: true,
    timeoutMs: 10_000,
    ...of,
  });

const details = (number: string): CardDetails => ({
  number,
  holderName: 'Ana Petrova',
  expiryMonth: 12,
  expiryYear: 2040,
  securityCode: '123',
});

async function requestWith(number: string, of: Partial<ChargeRequest> = {}): Promise<ChargeRequest> {
  const { token } = await provider().tokenise(details(number), { accountUuid: randomUUID() });
  const idempotencyKey = `S-${randomUUID()}:1:1`;
  return { idempotencyKey, token, amountMinor: 999, currency: 'EUR', description: 'Subscription', ...of };
}

const intentsOf = ({ idempotencyKey }: ChargeRequest) =>
  [...server.intents.values()].filter(({ metadata }) => metadata['paywall_charge'] === idempotencyKey);

describe('cards', () => {
  test('a typed card is kept as a token of a customer, with what a person recognises it by', async () => {
    const token = await provider().tokenise(details(cards.success), { accountUuid: randomUUID() });
    expect(token).toMatchObject({ lastFour: '4242', brand: 'visa', holderName: 'Ana Petrova', fingerprint: 'fp_4242' });
    expect(token.token).toMatch(/^cus_[\w-]+\/pm_[\w-]+$/);
    expect(JSON.stringify(token)).not.toContain(cards.success);
  });

  test('a second card of one owner gets the same customer, even if both are added at once', async () => {
    const accountUuid = randomUUID();
    const tokens = await Promise.all([
      provider().tokenise(details(cards.success), { accountUuid }),
      provider().tokenise(details(cards.declined), { accountUuid }),
    ]);
    const customer = await provider().createCustomer?.(accountUuid);
    tokens.push(await provider().tokenise(details(cards.lost), { accountUuid, customer }));
    expect(new Set(tokens.map(({ token }) => token.split('/')[0]))).toEqual(new Set([customer]));
  });

  test.each([
    ['/v1/customers', 401, { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_*1' }],
    ['/v1/customers', 400, { type: 'invalid_request_error', code: 'account_invalid', message: 'Restricted.' }],
    ['/v1/payment_methods', 403, { type: 'invalid_request_error', code: 'more_permissions_required', message: 'No.' }],
    ['/v1/payment_methods', 400, { type: 'invalid_request_error', message: 'Card numbers are not accepted.' }],
  ])('misconfigured: %s answers %i', async (path, status, error) => {
    server.refuse(path, status, error);
    const refused = provider().tokenise(details(cards.success), { accountUuid: randomUUID() });
    await expect(refused).rejects.toMatchObject({ name: 'MisconfiguredProvider', fault: { message: error.message } });
    server.mend();
  });

  test('misconfigured: the customer is gone at Stripe', async () => {
    const lost = provider().tokenise(details(cards.success), { accountUuid: randomUUID(), customer: 'cus_gone' });
    await expect(lost).rejects.toMatchObject({ name: 'MisconfiguredProvider', fault: { code: 'resource_missing' } });
  });

  test('422: a typed number where numbers may not pass through', async () => {
    const typed = provider({ acceptsRawCards: false }).tokenise(details(cards.success));
    await expect(typed).rejects.toMatchObject({
      details: { errors: { number: 'The number is not accepted here: send a payment_token from the payment form.' } },
    });
  });

  test('422: a number and a token that Stripe does not take name their field', async () => {
    await expect(provider().tokenise(details('424242'))).rejects.toMatchObject({
      details: { errors: { number: 'Bad number.' } },
    });
    await expect(provider().adoptToken('pm_unknown')).rejects.toMatchObject({
      details: {
        errors: {
          payment_token: 'The payment_token is not known to the payment account of this shop. Enter the card again.',
        },
      },
    });
  });
});

test.each([
  ['/v1/payment_methods', 'hang'],
  ['/v1/payment_methods', '500 after the work'],
  ['/v1/customers', '429'],
  ['/v1/customers', 'lose the answer'],
] as const)(
  '503: while %s of Stripe does “%s”, no card is taken, and who asks is told to come again',
  async (path, fault) => {
    server.fail(path, fault, 4);
    const refused = provider(fault === 'hang' ? impatient : {}).tokenise(details(cards.success), {
      accountUuid: randomUUID(),
    });
    await expect(refused).rejects.toMatchObject({
      code: 'service_unavailable',
      details: { explain: 'Payment provider unavailable', retryAfterSeconds: 5 },
    });
    server.mend();
  },
);

test('a customer is forgotten with all its cards, once or twice', async () => {
  const accountUuid = randomUUID();
  const first = await requestWith(cards.success);
  const customer = first.token.split('/')[0];
  const { token } = await provider().tokenise(details(cards.success), { accountUuid, customer });
  await provider().forgetCustomer([first.token, token], customer);
  await provider().forgetCustomer([], customer);
  expect(server.customers.has(first.token.split('/')[0] ?? '')).toBe(false);
  expect(await provider().charge(first)).toMatchObject({ outcome: 'misconfigured' });
});

describe('a charge', () => {
  test('is paid once, whatever the number of tries under its key', async () => {
    const request = await requestWith(cards.success);
    const results = [];
    for (let tries = 0; tries < 3; tries += 1) results.push(await provider().charge(request));
    const [intent] = intentsOf(request);
    expect(results).toEqual(Array(3).fill({ outcome: 'paid', reference: intent?.id }));
    expect(intentsOf(request)).toMatchObject([{ amount: 999, currency: 'eur', off_session: false }]);
  });

  test.each([
    ['declined', 'soft', 'declined'],
    ['noFunds', 'soft', 'insufficient_funds'],
    ['lost', 'hard', 'lost_card'],
    ['bankAway', 'later', 'try_again_later'],
    ['expired', 'hard', 'expired_card'],
  ] as const)('of a card that is %s is declined: %s, %s', async (card, decline, reason) => {
    const result = await provider().charge(await requestWith(cards[card]));
    expect(result).toEqual({ outcome: 'declined', decline, reason, message: 'Your card was declined.' });
  });

  test('that needs an authentication sends the payer to the bank, and is paid after it', async () => {
    const request = await requestWith(cards.needsAuthentication, { returnUrl: 'https://shop.example/back' });
    const asked = await provider().charge(request);
    const reference = (asked as { reference: string }).reference;
    expect(asked).toEqual({ outcome: 'requires_action', reference, redirectUrl: `https://bank.example/${reference}` });
    expect(await provider().lookUpCharge(request.idempotencyKey, request)).toEqual(asked);
    server.answerAuthentication(reference, true);
    expect(await provider().lookUpCharge(request.idempotencyKey, request)).toEqual({ outcome: 'paid', reference });
  });

  test('that the payer refuses is declined', async () => {
    const request = await requestWith(cards.needsAuthentication, { returnUrl: 'https://shop.example/back' });
    const asked = await provider().charge(request);
    server.answerAuthentication((asked as { reference: string }).reference, false);
    expect(await provider().lookUpCharge(request.idempotencyKey, request)).toMatchObject({
      outcome: 'declined',
      reason: 'authentication_failed',
    });
  });

  test('of a renewal is off session: nobody is there to authenticate', async () => {
    const paid = await requestWith(cards.success, { isOffSession: true });
    await provider().charge(paid);
    expect(intentsOf(paid)).toMatchObject([{ off_session: true }]);
    const request = await requestWith(cards.needsAuthentication, { isOffSession: true });
    const asked = await provider().charge(request);
    const [intent] = intentsOf(request);
    expect(asked).toEqual({ outcome: 'requires_action', reference: intent?.id });
    expect(await provider().lookUpCharge(request.idempotencyKey, request)).toEqual(asked);
  });

  describe('that waits for an absent payer', () => {
    async function chargeWithoutPayer() {
      const request = await requestWith(cards.needsAuthentication, { isOffSession: true });
      const { reference } = (await provider().charge(request)) as { reference: string };
      const confirm = () => provider().confirmCharge(request.idempotencyKey, { reference, token: request.token });
      return { request, reference, confirm };
    }

    test('is the same charge when the payer is back: confirmed twice, paid once', async () => {
      const { request, reference, confirm } = await chargeWithoutPayer();
      const atBank = { outcome: 'requires_action', reference, redirectUrl: `https://bank.example/${reference}` };
      expect(await confirm()).toEqual(atBank);
      expect(await confirm()).toEqual(atBank);
      server.answerAuthentication(reference, true);
      expect(await confirm()).toEqual({ outcome: 'paid', reference });
      expect(intentsOf(request)).toMatchObject([{ status: 'succeeded' }]);
    });

    test('is confirmed in two windows at once: both get the same page of the bank', async () => {
      const { reference, confirm } = await chargeWithoutPayer();
      const atBank = { outcome: 'requires_action', reference, redirectUrl: `https://bank.example/${reference}` };
      expect(await Promise.all([confirm(), confirm(), confirm()])).toEqual([atBank, atBank, atBank]);
    });

    test('is declined if the payer refuses, or if it was given up before', async () => {
      const refused = await chargeWithoutPayer();
      await refused.confirm();
      server.answerAuthentication(refused.reference, false);
      expect(await refused.confirm()).toMatchObject({ outcome: 'declined', reason: 'authentication_failed' });
      const givenUp = await chargeWithoutPayer();
      await provider().voidCharge(givenUp.request.idempotencyKey, givenUp.request);
      expect(await givenUp.confirm()).toMatchObject({ outcome: 'declined', reason: 'authentication_expired' });
    });

    test('is not changed while Stripe does not answer', async () => {
      const { reference, confirm } = await chargeWithoutPayer();
      server.fail(`/v1/payment_intents/${reference}/confirm`, 'refuse before the work', 2);
      expect(await confirm()).toEqual({ outcome: expect.stringMatching(/^(not_sent|unknown)$/) as string });
    });
  });

  test('given up while the payer is asked is not paid any more; a paid one stays paid', async () => {
    const asked = await requestWith(cards.needsAuthentication, { returnUrl: 'https://shop.example/back' });
    await provider().charge(asked);
    expect(await provider().voidCharge(asked.idempotencyKey, asked)).toMatchObject({
      reason: 'authentication_expired',
    });
    expect(intentsOf(asked)).toMatchObject([{ status: 'canceled' }]);
    const paid = await requestWith(cards.success);
    await provider().charge(paid);
    expect(await provider().voidCharge(paid.idempotencyKey, paid)).toMatchObject({ outcome: 'paid' });
    expect(await provider().voidCharge(`S-${randomUUID()}:1:1`, { token: paid.token })).toEqual({
      outcome: 'not_sent',
    });
  });

  test.each([
    ['ISK', 1_000, 100_000],
    ['UGX', 1_000, 100_000],
    ['JPY', 1_000, 1_000],
    ['EUR', 1_000, 1_000],
    ['KWD', 1_000, 1_000],
    ['MGA', 500_000, 5_000],
  ])('in %s: %i of our minor units are %i of the units of Stripe', async (currency, amountMinor, amount) => {
    const request = await requestWith(cards.success, { currency, amountMinor });
    await provider().charge(request);
    expect(intentsOf(request)).toMatchObject([{ amount }]);
  });
});

describe('a look-up', () => {
  test('finds a charge by the reference that Stripe gave it', async () => {
    const request = await requestWith(cards.success);
    const { reference } = (await provider().charge(request)) as { reference: string };
    expect(await provider().lookUpCharge('another key', { reference })).toEqual({ outcome: 'paid', reference });
  });

  test('finds a charge whose card and customer an erasure has forgotten', async () => {
    const request = await requestWith(cards.success);
    await provider().charge(request);
    await provider().forgetCustomer([request.token]);
    const found = await provider().lookUpCharge(request.idempotencyKey, { reference: null, token: 'erased:5' });
    expect(found).toMatchObject({ outcome: 'paid', reference: intentsOf(request)[0]?.id });
    expect(await provider().lookUpCharge('S-never:1:1', { token: 'erased:5' })).toEqual({ outcome: 'not_sent' });
  });

  test('of what may still be on its way says nothing yet', async () => {
    const { idempotencyKey, token } = await requestWith(cards.success);
    const asked = (openedAt: Date) => provider().lookUpCharge(idempotencyKey, { token, openedAt });
    expect(await asked(new Date())).toEqual({ outcome: 'unknown' });
    expect(await asked(new Date(Date.now() - 120_000))).toEqual({ outcome: 'not_sent' });
  });

  test.each(['429', 'garbage', '500 after the work'] as const)(
    'that fails by %s says nothing, and so does a void',
    async (fault) => {
      const request = await requestWith(cards.success);
      const paid = await provider().charge(request);
      for (const ask of ['lookUpCharge', 'voidCharge'] as const) {
        server.fail(intentsPath, fault);
        expect(await provider()[ask](request.idempotencyKey, request)).toEqual({ outcome: 'unknown' });
        expect(await provider()[ask](request.idempotencyKey, request)).toEqual(paid);
      }
      const away = provider({ apiBase: 'http://127.0.0.1:1' });
      expect(await away.lookUpCharge(request.idempotencyKey, request)).toEqual({ outcome: 'unknown' });
      expect(await away.voidCharge(request.idempotencyKey, request)).toEqual({ outcome: 'unknown' });
    },
  );

  test('of a charge that is paid while it is given up says that it is paid', async () => {
    const request = await requestWith(cards.needsAuthentication, { returnUrl: 'https://shop.example/back' });
    const { reference } = (await provider().charge(request)) as { reference: string };
    server.beforeCancel(() => server.answerAuthentication(reference, true));
    expect(await provider().voidCharge(request.idempotencyKey, { reference })).toEqual({ outcome: 'paid', reference });
  });
});

describe('an answer that does not come', () => {
  test.each([
    ['lose the answer', 2],
    ['hang', 1],
    ['500 after the work', 1],
    ['garbage', 1],
  ] as const)('%s: nobody knows, the look-up finds the charge, and there is one', async (fault, times) => {
    const request = await requestWith(cards.success);
    server.fail(intentsPath, fault, times);
    const asked = provider(fault === 'hang' ? impatient : {}).charge(request);
    expect(await asked).toEqual({ outcome: 'unknown' });
    expect(await provider().lookUpCharge(request.idempotencyKey, request)).toMatchObject({ outcome: 'paid' });
    expect(await provider().charge(request)).toMatchObject({ outcome: 'paid' });
    expect(intentsOf(request)).toHaveLength(1);
  });

  test('refused before the work: the look-up finds nothing, and the same charge is sent again', async () => {
    const request = await requestWith(cards.success);
    server.fail(intentsPath, 'refuse before the work', 2);
    expect(await provider().charge(request)).toEqual({ outcome: 'unknown' });
    expect(await provider().lookUpCharge(request.idempotencyKey, request)).toEqual({ outcome: 'not_sent' });
    expect(await provider().charge(request)).toMatchObject({ outcome: 'paid' });
    expect(intentsOf(request)).toHaveLength(1);
  });

  test('429, and nobody listening: it was not sent', async () => {
    const request = await requestWith(cards.success);
    server.fail(intentsPath, '429');
    expect(await provider().charge(request)).toEqual({ outcome: 'not_sent' });
    const away = provider({ apiBase: 'http://127.0.0.1:1' });
    expect(await away.charge(request)).toEqual({ outcome: 'not_sent' });
    expect(intentsOf(request)).toHaveLength(0);
  });

  test('one key for two amounts is a bug, and is thrown', async () => {
    const request = await requestWith(cards.success);
    await provider().charge(request);
    await expect(provider().charge({ ...request, amountMinor: 1 })).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    });
  });

  test('misconfigured: a card that Stripe does not know is not reported as declined', async () => {
    const request = await requestWith(cards.success);
    const [customer = ''] = request.token.split('/');
    const forgotten = { ...request, token: `${customer}/pm_gone` };
    const fault = { code: 'resource_missing', message: 'No such: pm_gone' };
    expect(await provider().charge(forgotten)).toEqual({ outcome: 'misconfigured', fault, isKept: true });
  });
});

describe('a fault that only the operator or the merchant can fix', () => {
  afterEach(() => server.mend());

  test.each<[number, { type: string; code?: string; message: string }, boolean]>([
    [400, { type: 'invalid_request_error', message: 'Your account cannot currently make live charges.' }, true],
    [400, { type: 'invalid_request_error', code: 'amount_too_small', message: 'At least 0.50.' }, true],
    [403, { type: 'invalid_request_error', code: 'account_invalid', message: 'Restricted.' }, true],
    [401, { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_*1' }, false],
  ])('misconfigured: %i %j, for every payer', async (status, error, isKept) => {
    const request = await requestWith(cards.success);
    server.refuse(intentsPath, status, error);
    const fault = { code: error.code ?? error.type, message: error.message };
    expect(await provider().charge(request)).toEqual({ outcome: 'misconfigured', fault, isKept });
    expect(await provider().lookUpCharge(request.idempotencyKey, request)).toEqual({ outcome: 'unknown' });
    server.mend();
    expect(await provider().charge({ ...request, refusalNo: isKept ? 1 : 0 })).toMatchObject({ outcome: 'paid' });
    expect(intentsOf(request)).toHaveLength(1);
  });

  test('misconfigured: an answer that Stripe stores under the key is repeated until the key changes', async () => {
    const request = await requestWith(cards.success);
    server.refuse(intentsPath, 400, { type: 'invalid_request_error', message: 'Restricted.' });
    await provider().charge(request);
    server.mend();
    expect(await provider().charge(request)).toMatchObject({ outcome: 'misconfigured' });
    expect(await provider().charge({ ...request, refusalNo: 1 })).toMatchObject({ outcome: 'paid' });
  });
});

describe('a decline that is final for the card', () => {
  afterEach(() => server.mend());

  test.each([
    { code: 'card_declined', decline_code: 'generic_decline', advice_code: 'do_not_try_again' },
    { code: 'card_declined', decline_code: 'try_again_later', advice_code: 'do_not_try_again' },
    { code: 'card_declined', decline_code: 'transaction_not_allowed' },
    { code: 'incorrect_number' },
    { code: 'card_declined', decline_code: 'highest_risk_level' },
  ])('hard: %j', async (error) => {
    const request = await requestWith(cards.success);
    server.refuse(intentsPath, 402, { type: 'card_error', message: 'No.', ...error });
    expect(await provider().charge(request)).toMatchObject({ outcome: 'declined', decline: 'hard' });
  });

  test('later: the advice to try again later', async () => {
    const request = await requestWith(cards.success);
    const error = { code: 'card_declined', decline_code: 'generic_decline', advice_code: 'try_again_later' };
    server.refuse(intentsPath, 402, { type: 'card_error', message: 'No.', ...error });
    expect(await provider().charge(request)).toMatchObject({ outcome: 'declined', decline: 'later' });
  });
});

describe('a refund', () => {
  async function paid() {
    const request = await requestWith(cards.success);
    const result = await provider().charge(request);
    const refund = {
      idempotencyKey: `R-${randomUUID()}`,
      chargeKey: request.idempotencyKey,
      chargeReference: (result as { reference: string }).reference,
      amountMinor: 400,
      currency: 'EUR',
    };
    const made = () => server.refunds.filter((of) => of['payment_intent'] === refund.chargeReference);
    return { refund, made };
  }

  test('is given once, whatever the number of tries under its key', async () => {
    const { refund, made } = await paid();
    const first = await provider().refund(refund);
    expect(await provider().refund(refund)).toEqual(first);
    expect(made()).toMatchObject([{ amount: 400, id: (first as { reference: string }).reference }]);
  });

  test('of more than is left of the charge is refused', async () => {
    const { refund } = await paid();
    await provider().refund(refund);
    const more = { ...refund, idempotencyKey: `R-${randomUUID()}`, amountMinor: 600 };
    expect(await provider().refund(more)).toEqual({ outcome: 'refused', message: 'Too much.' });
  });

  test('whose answer is lost is found by the look-up; one that was never sent is not', async () => {
    const { refund, made } = await paid();
    expect(await provider().lookUpRefund(refund)).toEqual({ outcome: 'not_sent' });
    server.fail('/v1/refunds', '500 after the work');
    expect(await provider().refund(refund)).toEqual({ outcome: 'unknown' });
    expect(await provider().lookUpRefund(refund)).toMatchObject({ outcome: 'refunded' });
    expect(made()).toHaveLength(1);
  });
});

test('the lists of payments and of refunds leave the rate limit to purchases', async () => {
  const lanes: Lane[] = [];
  const takeTurn = (lane: Lane) => Promise.resolve(void lanes.push(lane));
  const stripe = provider({ pace: { takeTurn, hold: () => Promise.resolve() } });
  await stripe.listPayments(new Date())[Symbol.asyncIterator]().next();
  await stripe.listRefunded?.(new Date())[Symbol.asyncIterator]().next();
  expect(lanes).toEqual(['background', 'background']);
});

describe('a notification', () => {
  const event = (type: string, object: object) =>
    JSON.stringify({ id: 'evt_1', object: 'event', type, created: 1_750_000_000, data: { object } });
  const sign = (payload: string, secret = 'whsec_1', timestamp = Math.floor(Date.now() / 1000)) =>
    Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
  const read = (payload: string, signature = sign(payload)) =>
    provider().readNotification?.(Buffer.from(payload), signature);

  test.each([
    ['payment_intent.succeeded', { id: 'pi_1' }, 'charge'],
    ['payment_intent.payment_failed', { id: 'pi_1' }, 'charge'],
    ['setup_intent.succeeded', { id: 'pi_1' }, 'setup'],
    ['charge.dispute.created', { id: 'dp_1', payment_intent: 'pi_1', status: 'warning_needs_response' }, 'other'],
    ['charge.updated', { id: 'ch_1', payment_intent: 'pi_1' }, 'other'],
  ])('%s of %o is about: %s', (type, object, about) => {
    expect(read(event(type, object))).toEqual({ id: 'evt_1', about, reference: 'pi_1' });
  });

  test.each([
    ['charge.dispute.created', 'needs_response', 'disputed'],
    ['charge.dispute.closed', 'won', 'dispute_won'],
    ['charge.dispute.closed', 'lost', 'disputed'],
  ])('%s, %s, is about: %s, of that dispute and at the provider’s time', (type, status, about) => {
    const object = { id: 'dp_1', payment_intent: 'pi_1', status };
    const dispute = { reference: 'dp_1', at: new Date('2025-06-15T15:06:40Z'), status };
    expect(read(event(type, object))).toEqual({ id: 'evt_1', about, reference: 'pi_1', dispute });
  });

  test('each open and decided status of a dispute has a meaning, and a later one is no decision', () => {
    const meaningOf = (status: string) => {
      const found = read(event('charge.dispute.updated', { id: 'dp_1', payment_intent: 'pi_1', status }));
      return [status, found?.about, found?.dispute?.status];
    };
    const inquiries = [
      'warning_needs_response',
      'warning_under_review',
      'warning_closed',
      'warning_of_a_later_version',
    ];
    expect(inquiries.map(meaningOf)).toEqual(inquiries.map((status) => [status, 'other', undefined]));
    // An appeal has evidence of its own, which Stripe takes in its dashboard. It is not decided.
    const open = ['under_review', 'appeal_needs_response', 'appeal_under_review', 'a later status'];
    expect(open.map(meaningOf)).toEqual(open.map((status) => [status, 'disputed', 'under_review']));
    expect(['needs_response', 'won', 'lost'].map(meaningOf)).toEqual([
      ['needs_response', 'disputed', 'needs_response'],
      ['won', 'dispute_won', 'won'],
      ['lost', 'disputed', 'lost'],
    ]);
  });

  // docs.stripe.com/disputes/prevention-preview: a rule of the merchant resolves a dispute, or evidence blocks it.
  const withdrawn = [{ amount: -999, fee: 1500, currency: 'eur' }];
  test.each([
    ['resolution', { payment_method_details: { card: { case_type: 'resolution' } } }, 'disputed'],
    ['a withdrawal', { balance_transactions: withdrawn }, 'disputed'],
    ['block', { payment_method_details: { card: { case_type: 'block' } } }, 'dispute_won'],
    ['nothing more', {}, 'dispute_won'],
  ])('a prevented dispute with %s is lost if its money was taken, and otherwise blocked', (_what, more, about) => {
    const object = { id: 'dp_1', payment_intent: 'pi_1', status: 'prevented', ...more };
    const found = read(event('charge.dispute.created', object));
    expect(found).toMatchObject({ about, reference: 'pi_1' });
    expect(found?.dispute?.status).toBe(about === 'disputed' ? 'lost' : 'won');
    expect(found?.dispute?.isBlocked).toBe(about === 'disputed' ? undefined : true);
  });

  test('that is forged, changed on its way, or old is refused', () => {
    const payload = event('payment_intent.succeeded', { id: 'pi_1' });
    const hourAgo = Math.floor(Date.now() / 1000) - 3_600;
    for (const signature of [
      '',
      'v1=1',
      sign(payload, 'whsec_2'),
      sign(`${payload} `),
      sign(payload, 'whsec_1', hourAgo),
    ])
      expect(() => read(payload, signature)).toThrow(expect.objectContaining({ code: 'invalid_signature' }) as Error);
  });
});
