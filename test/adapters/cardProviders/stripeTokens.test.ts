import { randomUUID } from 'node:crypto';
import { createStripe } from '../../../src/adapters/cardProviders/stripe';
import { type ChargeRequest } from '../../../src/adapters/cardProviders/provider';
import { createPaymentToken } from '../../support/stripeForm';
import { startStripeServer, type StripeServer } from '../../support/stripeServer';

const cards = {
  success: '4242424242424242',
  declined: '4000000000000002',
  lost: '4000000000009987',
  asks: '4000000000003220',
  asksOnce: '4000002500003155',
};

let server: StripeServer;
beforeAll(async () => void (server = await startStripeServer()));
afterAll(() => server.stop());
afterEach(() => server.mend());

const provider = (of: { publishableKey?: string; timeoutMs?: number } = { publishableKey: 'pk_test_1' }) =>
  createStripe({
    secretKey: 'sk_test_1',
    webhookSecret: 'whsec_1',
    returnUrl: 'https://paywall.example/payments/return',
    apiBase: server.url,
    acceptsRawCards: false,
    timeoutMs: 10_000,
    ...of,
  });

const adopt = async (number: string) => {
  const accountUuid = randomUUID();
  const customer = await provider().createCustomer?.(accountUuid);
  return provider().adoptToken(await createPaymentToken(server, { number }), { accountUuid, customer });
};

async function requestWith(number: string): Promise<ChargeRequest> {
  const { token } = await adopt(number);
  const idempotencyKey = `S-${randomUUID()}:1:1`;
  return { idempotencyKey, token, amountMinor: 999, currency: 'EUR', description: 'Subscription' };
}

describe('a confirmation token', () => {
  test('is a card for single use, with what a person recognises it by; nothing is attached before it pays', async () => {
    const token = await adopt(cards.success);
    expect(token).toMatchObject({ lastFour: '4242', brand: 'visa', fingerprint: 'fp_4242', isSingleUse: true });
    expect(token.token).toMatch(/^cus_[\w-]+\/ctoken_[\w-]+$/);
  });

  test('confirms the intent under the key of the charge, and the card can be charged later', async () => {
    const request = await requestWith(cards.success);
    const paid = await provider().charge(request);
    expect(server.sent.at(-1)).toMatchObject({
      path: '/v1/payment_intents',
      key: request.idempotencyKey,
      fields: { confirmation_token: request.token.split('/')[1], setup_future_usage: 'off_session', confirm: 'true' },
    });
    const { cardToken = '' } = paid as { cardToken?: string };
    expect(cardToken).toMatch(/^cus_[\w-]+\/pm_[\w-]+$/);
    expect(await provider().charge(request)).toEqual(paid);
    expect(await provider().lookUpCharge(request.idempotencyKey, request)).toEqual(paid);
    const renewal = { ...request, idempotencyKey: `S-${randomUUID()}:2:1`, token: cardToken, isOffSession: true };
    expect(await provider().charge(renewal)).toMatchObject({ outcome: 'paid' });
  });

  test('payment_token_spent: it was used or has expired since it was accepted, and nothing is charged', async () => {
    const used = await requestWith(cards.success);
    await provider().charge(used);
    const expired = await requestWith(cards.success);
    server.expireTokens();
    for (const request of [{ ...used, idempotencyKey: `S-${randomUUID()}:1:1` }, expired])
      expect(await provider().charge(request)).toMatchObject({ outcome: 'declined', reason: 'payment_token_spent' });
  });

  test.each([
    ['used', 'The payment_token has been used. Enter the card again.'],
    ['expired', 'The payment_token has expired. Enter the card again.'],
    ['unknown', 'The payment_token is not known to the payment account of this shop. Enter the card again.'],
  ])('422: a token that is %s is not accepted', async (fault, text) => {
    const request = await requestWith(cards.success);
    if (fault === 'used') await provider().charge(request);
    if (fault === 'expired') server.expireTokens();
    const token = fault === 'unknown' ? 'ctoken_unknown' : (request.token.split('/')[1] ?? '');
    await expect(provider().adoptToken(token)).rejects.toMatchObject({ details: { errors: { payment_token: text } } });
  });

  test('asks for an authentication by the script of Stripe, which gets the secret of the intent', async () => {
    const request = await requestWith(cards.asks);
    const asked = await provider().charge(request);
    const { reference } = asked as { reference: string };
    expect(asked).toEqual({ outcome: 'requires_action', reference });
    const secret = await provider().findClientSecret?.(reference);
    expect(secret).toBe(server.intents.get(reference)?.client_secret);
    server.answerAuthentication(reference, true);
    expect(await provider().findClientSecret?.(reference)).toBeUndefined();
    expect(await provider().lookUpCharge(request.idempotencyKey, request)).toMatchObject({
      outcome: 'paid',
      cardToken: expect.stringContaining('/pm_') as string,
    });
  });

  test('without the form of Stripe on our pages it leads to a page of the bank', async () => {
    const request = await requestWith(cards.asks);
    const asked = await provider({}).charge(request);
    const { reference } = asked as { reference: string };
    expect(asked).toEqual({ outcome: 'requires_action', reference, redirectUrl: `https://bank.example/${reference}` });
    expect(await provider().findClientSecret?.(reference)).toBeUndefined();
  });
});

describe('the set-up of a card', () => {
  test.each([
    ['success', { outcome: 'verified', cardToken: expect.stringContaining('/pm_') as string }],
    ['declined', { outcome: 'declined', decline: 'soft', reason: 'declined' }],
    ['lost', { outcome: 'declined', decline: 'hard', reason: 'lost_card' }],
  ] as const)('of a card that is %s charges nothing', async (card, result) => {
    const charges = server.intents.size;
    const { token } = await adopt(cards[card]);
    expect(await provider().setUpCard(token)).toMatchObject(result);
    expect(server.sent.at(-1)).toMatchObject({ path: '/v1/setup_intents', fields: { usage: 'off_session' } });
    expect(server.intents.size).toBe(charges);
  });

  test('verifies the card after the payer’s authentication, and later charges need none', async () => {
    const { token } = await adopt(cards.asksOnce);
    const asked = await provider().setUpCard(token);
    const { reference } = asked as { reference: string };
    expect(asked).toEqual({ outcome: 'requires_action', reference });
    expect(await provider().findClientSecret?.(reference)).toBe(server.setups.get(reference)?.client_secret);
    expect(await provider().lookUpSetup(reference)).toEqual(asked);
    server.answerAuthentication(reference, true);
    const verified = await provider().lookUpSetup(reference);
    expect(verified).toMatchObject({ outcome: 'verified' });
    const request = await requestWith(cards.success);
    const { cardToken } = verified as { cardToken: string };
    expect(await provider().charge({ ...request, token: cardToken, isOffSession: true })).toMatchObject({
      outcome: 'paid',
    });
  });

  test('that the payer refuses is declined; one that is given up too, unless the payer was faster', async () => {
    const asked = async () => {
      const { token } = await adopt(cards.asksOnce);
      return ((await provider().setUpCard(token)) as { reference: string }).reference;
    };
    const refused = await asked();
    server.answerAuthentication(refused, false);
    expect(await provider().lookUpSetup(refused)).toMatchObject({ reason: 'authentication_failed' });
    const givenUp = await asked();
    expect(await provider().voidSetup(givenUp)).toMatchObject({ reason: 'authentication_expired' });
    const approved = await asked();
    server.answerAuthentication(approved, true);
    expect(await provider().voidSetup(approved)).toMatchObject({ outcome: 'verified' });
  });

  test('whose answer is lost is not made again', async () => {
    const { token } = await adopt(cards.success);
    const before = server.setups.size;
    server.fail('/v1/setup_intents', '500 after the work');
    expect(await provider().setUpCard(token)).toEqual({ outcome: 'unknown' });
    expect(await provider().setUpCard(token)).toMatchObject({ outcome: 'verified' });
    expect(server.setups.size).toBe(before + 1);
  });

  test('unknown: Stripe does not answer; misconfigured: the key is revoked', async () => {
    const { token } = await adopt(cards.success);
    server.fail('/v1/setup_intents', 'hang');
    expect(await provider({ publishableKey: 'pk_test_1', timeoutMs: 1_000 }).setUpCard(token)).toEqual({
      outcome: 'unknown',
    });
    expect(await provider().lookUpSetup('seti_unknown')).toEqual({ outcome: 'unknown' });
    server.refuse('/v1/setup_intents', 401, { type: 'invalid_request_error', message: 'Invalid API Key.' });
    expect(await provider().setUpCard(token)).toMatchObject({ outcome: 'misconfigured' });
  });
});
