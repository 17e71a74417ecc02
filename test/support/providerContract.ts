import { randomUUID } from 'node:crypto';
import { findCapability } from '../../src/billing/capabilities';
import { stepMinor } from '../../src/billing/dues';
import { type CardProvider, type ChargeRequest } from '../../src/adapters/cardProviders/provider';
import { type RefundRequest } from '../../src/adapters/cardProviders/refunds';
import { describeDebits } from './debitContract';
import { describePayouts } from './payoutContract';
import { describeRedirects } from './redirectContract';
import { describeReports, type PlayedBank } from './reportContract';
import { describeSetups } from './setupContract';
import { describeWallets } from './walletContract';

/** The cards that every provider must offer for tests. */
export type ContractCard = 'accepted' | 'declined_when_charged' | 'needs_authentication' | 'authenticated_once';

/** A request that gets no answer: the provider did the work (`after`) or did not (`before`). `limited`: too many requests. */
export type ContractFault =
  | 'charge is limited'
  | 'charge fails before the work'
  | 'charge fails after the work'
  | 'refund fails before the work'
  | 'refund fails after the work';

/** A provider with the means to play the payer, the bank and the network. */
export interface ProviderUnderTest {
  provider: CardProvider;
  /** Saves a card for a new payer and returns its token. */
  saveCard(card: ContractCard): Promise<string>;
  /** A token of the provider's form for the card `accepted`. */
  formToken: string;
  /** The payer answers the bank. Absent: only a person in a browser can. */
  answerBank?(reference: string, answer: 'approved' | 'refused'): Promise<void>;
  /** A new token of Link of the provider's form. Absent: only a person in a browser can make one. */
  createLinkToken?(): Promise<string>;
  /** The payer pays with a wallet on the page. */
  payByWallet?(reference: string): Promise<void>;
  /** Saves a card for a new payer. The next request of the kind gets no answer. Absent: the network cannot be played. */
  saveCardBefore?(fault: ContractFault): Promise<string>;
  /** Test bank accounts, by what becomes of their debits. Absent: the provider makes no direct debits. */
  bankAccounts?: Record<'paid' | 'failed' | 'returned', string>;
  /** The banks decide on all debits that they have. Absent: they decide by the time of the look-up. */
  letBanksDecide?(): void;
  /** Pays money out to the bank of the merchant and returns the id of the payout. Below zero, the bank pays. */
  payOut?(amountMinor: number, currency: string): Promise<string>;
  /** The bank returns the payout. */
  failPayout?(reference: string): Promise<void>;
  /** Plays the bank and the card network. Absent: the provider reports nothing by itself. */
  bank?: PlayedBank;
  /** Refuses the next charge for a reason other than the card, and returns a token to charge. */
  saveCardBeforeMisconfiguration?(): Promise<string>;
}

/** The answers that the service expects of every card provider. `setUp` runs once, before the first test. */
export function describeProvider(name: string, setUp: () => Promise<ProviderUnderTest>, can: ContractAbilities): void {
  describe(`the contract of card providers: ${name}`, () => {
    let under: ProviderUnderTest;
    beforeAll(async () => {
      under = await setUp();
    });
    const get = () => under;
    describeCards(get);
    describeCharges(get);
    describeMoney(get);
    describeLimits(get, can.exactLimits);
    describeRefunds(get);
    describeVoid(get);
    if (can.answerBank) describeAuthentication(get);
    if (can.answerBank) describeSetups(get, requestFor);
    if (can.debit) describeDebits(get, requestFor);
    if (can.redirect) describeRedirects(get, requestFor);
    if (can.wallets) describeWallets(get, requestFor);
    if (can.payOut) describePayouts(get);
    if (can.report) describeReports(get, async () => (await pay(get)).reference);
    if (can.fail) describeFaults(get);
  });
}

/** The optional functions of `ProviderUnderTest` that a provider has. */
export interface ContractAbilities {
  answerBank: boolean;
  fail: boolean;
  debit: boolean;
  /** Payers pay on pages of their banks, and `answerBank` plays them. */
  redirect: boolean;
  /** Link in the form, and wallets on a page, which `createLinkToken` and `payByWallet` play. */
  wallets: boolean;
  payOut: boolean;
  /** Notifications of disputes, fraud and replaced cards. */
  report: boolean;
  /** The limits are those of the documents. Stripe itself converts them to the currency of the account. */
  exactLimits: boolean;
}

type Get = () => ProviderUnderTest;

/** Long enough ago that no request is still on its way. */
const longAgo = () => new Date(Date.now() - 3_600_000);

async function requestWith(get: Get, card: ContractCard, changes: Partial<ChargeRequest> = {}): Promise<ChargeRequest> {
  return requestFor(await get().saveCard(card), changes);
}

function requestFor(token: string, changes: Partial<ChargeRequest> = {}): ChargeRequest {
  const idempotencyKey = `S-${randomUUID()}:1:1`;
  const returnUrl = 'https://shop.example.org/back';
  return {
    idempotencyKey,
    token,
    amountMinor: 999,
    currency: 'EUR',
    description: 'Monthly pass',
    returnUrl,
    ...changes,
  };
}

const lookUp = (get: Get, request: ChargeRequest) =>
  get().provider.lookUpCharge(request.idempotencyKey, { token: request.token, openedAt: longAgo() });

async function pay(get: Get, changes: Partial<ChargeRequest> = {}) {
  const request = await requestWith(get, 'accepted', changes);
  return { request, reference: referenceOf(await get().provider.charge(request)) };
}

function referenceOf(result: { outcome: string; reference?: string }): string {
  if (result.reference === undefined) throw new Error(`expected a reference, not ${JSON.stringify(result)}`);
  return result.reference;
}

async function listKeys(get: Get, since: Date): Promise<string[]> {
  const keys: string[] = [];
  for await (const { idempotencyKey } of get().provider.listPayments(since)) keys.push(idempotencyKey);
  return keys;
}

function describeCards(get: Get): void {
  describe('cards', () => {
    test('a token of the form becomes a card with the facts that a person recognises', async () => {
      const card = await get().provider.adoptToken(get().formToken, { accountUuid: randomUUID() });
      expect(card).toMatchObject({ token: expect.stringMatching(/./) as string, brand: 'visa' });
      expect(card.lastFour).toMatch(/^\d{4}$/);
      expect(card.expiryYear).toBeGreaterThan(2000);
      expect(card.fingerprint).not.toBe('');
    });

    test('422: an unknown token names its field', async () => {
      const refused = get().provider.adoptToken('pm_unknown', { accountUuid: randomUUID() });
      await expect(refused).rejects.toMatchObject({
        code: 'invalid_input',
        details: { errors: { payment_token: expect.any(String) as string } },
      });
    });

    test('a card is verified, also twice', async () => {
      const token = await get().saveCard('accepted');
      const verified = { outcome: 'verified', cardToken: expect.stringMatching(/./) as string };
      expect(await get().provider.setUpCard(token)).toEqual(verified);
      expect(await get().provider.setUpCard(token)).toEqual(verified);
    });

    test('a forgotten card pays no more, and it can be forgotten twice', async () => {
      const request = await requestWith(get, 'accepted');
      await get().provider.forgetCustomer([request.token]);
      await get().provider.forgetCustomer([request.token]);
      expect(['declined', 'misconfigured']).toContain((await get().provider.charge(request)).outcome);
    });
  });
}

function describeCharges(get: Get): void {
  describe('a charge', () => {
    test.each([false, true])('is paid once by three requests with one key (off session: %s)', async (isOffSession) => {
      const request = await requestWith(get, 'accepted', { isOffSession });
      const first = await get().provider.charge(request);
      expect(first).toEqual({ outcome: 'paid', reference: expect.any(String) as string });
      expect(await get().provider.charge(request)).toEqual(first);
      expect(await get().provider.charge(request)).toEqual(first);
      expect(await lookUp(get, request)).toEqual(first);
    });

    test('is paid once by five requests with one key at the same time', async () => {
      const since = new Date(Date.now() - 2_000);
      const request = await requestWith(get, 'accepted');
      const results = await Promise.all(Array.from({ length: 5 }, () => get().provider.charge(request)));
      for (const { outcome } of results) expect(['paid', 'unknown', 'not_sent']).toContain(outcome);
      const settled = await get().provider.charge(request);
      expect(settled).toMatchObject({ outcome: 'paid' });
      for (const result of results.filter(({ outcome }) => outcome === 'paid')) expect(result).toEqual(settled);
      expect((await listKeys(get, since)).filter((key) => key === request.idempotencyKey)).toHaveLength(1);
    });

    test('with another key is another charge', async () => {
      const { request, reference } = await pay(get);
      const second = await get().provider.charge(requestFor(request.token));
      expect(second).toMatchObject({ outcome: 'paid' });
      expect(referenceOf(second)).not.toBe(reference);
    });

    test.each([{ amountMinor: 1_000 }, { currency: 'USD' }])('throws for a used key with %j', async (change) => {
      const { request, reference } = await pay(get);
      await expect(get().provider.charge({ ...request, ...change })).rejects.toThrow();
      expect(await lookUp(get, request)).toEqual({ outcome: 'paid', reference });
    });

    test('is declined with a class, a reason and a text, and is not listed', async () => {
      const since = new Date(Date.now() - 2_000);
      const request = await requestWith(get, 'declined_when_charged');
      const declined = await get().provider.charge(request);
      const text = expect.stringMatching(/./) as string;
      expect(declined).toEqual({ outcome: 'declined', decline: 'soft', reason: 'declined', message: text });
      expect(await lookUp(get, request)).toEqual(declined);
      expect(await listKeys(get, since)).not.toContain(request.idempotencyKey);
    });

    test('that was never sent is not found', async () => {
      const token = await get().saveCard('accepted');
      expect(await lookUp(get, requestFor(token))).toEqual({ outcome: 'not_sent' });
    });

    test('is found by its reference alone', async () => {
      const { request, reference } = await pay(get);
      const known = { reference, token: request.token };
      expect(await get().provider.lookUpCharge(request.idempotencyKey, known)).toEqual({ outcome: 'paid', reference });
    });
  });
}

function describeMoney(get: Get): void {
  test.each([
    ['EUR', 50],
    ['EUR', 999_999],
    ['JPY', 1_000],
    ['KWD', 10_000],
  ])('a charge in %s of %i minor units is listed with this amount and its payer', async (currency, amountMinor) => {
    const since = new Date(Date.now() - 2_000);
    const paidTo = { merchantId: 7, accountId: amountMinor };
    const { request, reference } = await pay(get, { currency, amountMinor, paidTo });
    const listed = [];
    for await (const payment of get().provider.listPayments(since))
      if (payment.reference === reference) listed.push(payment);
    expect(listed).toMatchObject([{ idempotencyKey: request.idempotencyKey, amountMinor, currency, ...paidTo }]);
  });

  test('the list of payments excludes those before its start', async () => {
    const { request } = await pay(get);
    expect(await listKeys(get, new Date(Date.now() + 3_600_000))).not.toContain(request.idempotencyKey);
  });
}

/** Currencies with two decimals, with none, and with three, whose amounts have a step of 10. */
const limited = ['EUR', 'GBP', 'SEK', 'HUF', 'JPY', 'KWD'];

function describeLimits(get: Get, areExact: boolean): void {
  const tooSmall = { code: 'amount_too_small', message: expect.stringMatching(/./) as string };
  const refused = { outcome: 'misconfigured', fault: tooSmall, isKept: expect.any(Boolean) as boolean };

  describe.each(limited)('the least amount in %s', (currency) => {
    const step = stepMinor(currency);
    const least = findCapability(currency)?.least ?? 0;

    test('misconfigured: far below it, the charge names the limit, and nothing is charged', async () => {
      const since = new Date(Date.now() - 2_000);
      const request = await requestWith(get, 'accepted', { currency, amountMinor: step });
      expect(await get().provider.charge(request)).toEqual(refused);
      expect(await lookUp(get, request)).toEqual({ outcome: 'not_sent' });
      expect(await listKeys(get, since)).not.toContain(request.idempotencyKey);
    });

    const exactly = areExact ? test : test.skip;
    exactly('is charged, and one step less is not', async () => {
      expect(
        await get().provider.charge(await requestWith(get, 'accepted', { currency, amountMinor: least })),
      ).toMatchObject({
        outcome: 'paid',
      });
      const less = await requestWith(get, 'accepted', { currency, amountMinor: least - step, isOffSession: true });
      expect(await get().provider.charge(less)).toEqual(refused);
    });
  });
}

function describeRefunds(get: Get): void {
  describe('a refund', () => {
    async function refundable(amountMinor: number): Promise<RefundRequest> {
      const { request, reference } = await pay(get);
      const money = { amountMinor, currency: request.currency };
      return {
        idempotencyKey: `R-${randomUUID()}`,
        chargeKey: request.idempotencyKey,
        chargeReference: reference,
        ...money,
      };
    }
    const another = (refund: RefundRequest, amountMinor: number) =>
      get().provider.refund({ ...refund, idempotencyKey: `R-${randomUUID()}`, amountMinor });

    test('is made once by three requests with one key', async () => {
      const refund = await refundable(400);
      expect(await get().provider.lookUpRefund(refund)).toEqual({ outcome: 'not_sent' });
      const first = await get().provider.refund(refund);
      expect(first).toEqual({ outcome: 'refunded', reference: expect.any(String) as string });
      expect(await get().provider.refund(refund)).toEqual(first);
      expect(await get().provider.refund(refund)).toEqual(first);
      expect(await get().provider.lookUpRefund(refund)).toEqual(first);
      // One refund of 400 leaves 599 of 999.
      expect(await another(refund, 599)).toMatchObject({ outcome: 'refunded' });
    });

    test('of the exact rest is made, and one of a minor unit more is refused', async () => {
      const refund = await refundable(400);
      await get().provider.refund(refund);
      expect(await another(refund, 600)).toMatchObject({ outcome: 'refused' });
      expect(await another(refund, 599)).toMatchObject({ outcome: 'refunded' });
      expect(await another(refund, 1)).toMatchObject({ outcome: 'refused' });
    });

    test('of a charge that was not paid is refused or throws', async () => {
      const request = await requestWith(get, 'declined_when_charged');
      await get().provider.charge(request);
      const money = { amountMinor: 1, currency: 'EUR' };
      const refund = { idempotencyKey: `R-${randomUUID()}`, chargeKey: request.idempotencyKey, ...money };
      const outcome = await get()
        .provider.refund({ ...refund, chargeReference: 'pi_unknown' })
        .then(
          (result) => result.outcome,
          () => 'error',
        );
      expect(['refused', 'error']).toContain(outcome);
    });
  });
}

function describeVoid(get: Get): void {
  test('a void leaves a paid charge paid, and finds nothing for a charge that was never sent', async () => {
    const { request, reference } = await pay(get);
    const known = { token: request.token, openedAt: longAgo() };
    expect(await get().provider.voidCharge(request.idempotencyKey, known)).toEqual({ outcome: 'paid', reference });
    expect(await get().provider.voidCharge(`S-${randomUUID()}:1:1`, known)).toEqual({ outcome: 'not_sent' });
  });
}

function describeAuthentication(get: Get): void {
  describe('an authentication', () => {
    const answer = (reference: string, given: 'approved' | 'refused') => get().answerBank?.(reference, given);

    async function waiting(changes: Partial<ChargeRequest> = {}) {
      const request = await requestWith(get, 'needs_authentication', changes);
      const asked = await get().provider.charge(request);
      const reference = referenceOf(asked);
      const confirm = () =>
        get().provider.confirmCharge(request.idempotencyKey, {
          reference,
          token: request.token,
          returnUrl: 'https://shop.example.org/back',
        });
      return { request, asked, reference, confirm };
    }
    const atBank = (reference: string) => ({
      outcome: 'requires_action',
      reference,
      redirectUrl: expect.stringMatching(/^https?:/) as string,
    });

    test('of a present payer has a page, and the approved charge is paid', async () => {
      const { request, asked, reference } = await waiting();
      expect(asked).toEqual(atBank(reference));
      expect(await lookUp(get, request)).toEqual(asked);
      await answer(reference, 'approved');
      expect(await lookUp(get, request)).toEqual({ outcome: 'paid', reference });
    });

    test('that the payer refuses declines the charge', async () => {
      const { request, reference } = await waiting();
      await answer(reference, 'refused');
      expect(await lookUp(get, request)).toMatchObject({ outcome: 'declined', reason: 'authentication_failed' });
    });

    test('of an absent payer waits without a page, until the payer confirms the same charge', async () => {
      const { request, asked, reference, confirm } = await waiting({ isOffSession: true });
      expect(asked).toEqual({ outcome: 'requires_action', reference });
      expect(await lookUp(get, request)).toEqual(asked);
      expect(await confirm()).toEqual(atBank(reference));
      expect(await confirm()).toEqual(atBank(reference));
      await answer(reference, 'approved');
      expect(await confirm()).toEqual({ outcome: 'paid', reference });
      expect(await lookUp(get, request)).toEqual({ outcome: 'paid', reference });
    });

    test.each([false, true])('ends with a void (off session: %s), and nobody can confirm it', async (isOffSession) => {
      const { request, confirm } = await waiting({ isOffSession });
      const ended = { outcome: 'declined', reason: 'authentication_expired' };
      const { idempotencyKey, token } = request;
      expect(await get().provider.voidCharge(idempotencyKey, { token })).toMatchObject(ended);
      expect(await get().provider.voidCharge(idempotencyKey, { token })).toMatchObject(ended);
      expect(await confirm()).toMatchObject(ended);
    });
  });
}

function describeFaults(get: Get): void {
  describe('a request without an answer', () => {
    const saveCardBefore = (fault: ContractFault) => get().saveCardBefore?.(fault) ?? Promise.resolve('');

    test('that charged: the look-up finds it, and the next try is the same charge', async () => {
      const request = requestFor(await saveCardBefore('charge fails after the work'));
      expect(await get().provider.charge(request)).toEqual({ outcome: 'unknown' });
      const found = await lookUp(get, request);
      expect(found).toMatchObject({ outcome: 'paid' });
      expect(await get().provider.charge(request)).toEqual(found);
    });

    test('that did not charge: the look-up finds nothing, and the next try is paid', async () => {
      const request = requestFor(await saveCardBefore('charge fails before the work'));
      expect(await get().provider.charge(request)).toEqual({ outcome: 'unknown' });
      expect(await lookUp(get, request)).toEqual({ outcome: 'not_sent' });
      expect(await get().provider.charge(request)).toMatchObject({ outcome: 'paid' });
    });

    test.each([
      ['refund fails after the work', 'refunded'],
      ['refund fails before the work', 'not_sent'],
    ] as const)('%s: the look-up says %s, and the next try refunds once', async (fault, found) => {
      const charge = requestFor(await saveCardBefore(fault));
      const chargeReference = referenceOf(await get().provider.charge(charge));
      const money = { amountMinor: 999, currency: 'EUR' };
      const refund = {
        idempotencyKey: `R-${randomUUID()}`,
        chargeKey: charge.idempotencyKey,
        chargeReference,
        ...money,
      };
      expect(await get().provider.refund(refund)).toEqual({ outcome: 'unknown' });
      expect(await get().provider.lookUpRefund(refund)).toMatchObject({ outcome: found });
      expect(await get().provider.refund(refund)).toMatchObject({ outcome: 'refunded' });
      const second = { ...refund, idempotencyKey: `R-${randomUUID()}`, amountMinor: 1 };
      expect(await get().provider.refund(second)).toMatchObject({ outcome: 'refused' });
    });

    test('that is one too many was not sent, and the next try is paid once', async () => {
      const since = new Date(Date.now() - 2_000);
      const request = requestFor(await saveCardBefore('charge is limited'));
      expect(await get().provider.charge(request)).toEqual({ outcome: 'not_sent' });
      expect(await lookUp(get, request)).toEqual({ outcome: 'not_sent' });
      expect(await get().provider.charge(request)).toMatchObject({ outcome: 'paid' });
      expect((await listKeys(get, since)).filter((key) => key === request.idempotencyKey)).toHaveLength(1);
    });

    test('misconfigured: a refusal that is not about the card names its code and is no decline', async () => {
      const token = (await get().saveCardBeforeMisconfiguration?.()) ?? '';
      const result = await get().provider.charge(requestFor(token));
      const fault = { code: expect.stringMatching(/./) as string, message: expect.stringMatching(/./) as string };
      expect(result).toEqual({ outcome: 'misconfigured', fault, isKept: expect.any(Boolean) as boolean });
    });
  });
}
