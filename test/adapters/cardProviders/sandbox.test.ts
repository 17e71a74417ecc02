import { randomUUID } from 'node:crypto';
import { type CardDetails, type ChargeRequest } from '../../../src/adapters/cardProviders/provider';
import { type Sandbox } from '../../../src/adapters/cardProviders/sandbox';
import { sandboxCards, type SandboxOutcome } from '../../../scripts/paymentSimulator/testCards';
import { queryProvider, startSandbox } from '../../support/sandbox';

let sandbox: Sandbox;

beforeAll(() => {
  sandbox = startSandbox();
});

function cardOf(outcome: SandboxOutcome): CardDetails {
  const number = sandboxCards.find((card) => card.outcome === outcome)?.number ?? '';
  return { number, holderName: 'Ana Petrova', expiryMonth: 2, expiryYear: 2030, securityCode: '123' };
}

async function requestFor(outcome: SandboxOutcome, changes: Partial<ChargeRequest> = {}): Promise<ChargeRequest> {
  const { token } = await sandbox.tokenise(cardOf(outcome));
  const idempotencyKey = `${randomUUID()}:1:1`;
  return { idempotencyKey, token, amountMinor: 999, currency: 'EUR', description: 'Monthly pass', ...changes };
}

/** How often the ledger took the money of one key: 0 or 1 by its primary key, and how many tries it saw. */
async function ledgerOf(idempotencyKey: string) {
  const { rows } = await queryProvider<{ charged: boolean; attempts: number; amount_minor: unknown }>(
    'SELECT charged_at IS NOT NULL AS charged, attempts, amount_minor FROM sandbox_charges WHERE idempotency_key = $1',
    [idempotencyKey],
  );
  return rows.map((row) => ({ ...row, amount_minor: Number(row.amount_minor) }));
}

async function waitingCharge(changes: Partial<ChargeRequest> = {}) {
  const request = await requestFor('needs_authentication', changes);
  const result = await sandbox.charge(request);
  if (result.outcome !== 'requires_action') throw new Error(`expected requires_action, not ${result.outcome}`);
  return { request, ...result };
}

const paid = { outcome: 'paid', reference: expect.stringMatching(/^pi_[0-9a-f]{32}$/) as unknown };

describe('tokenise', () => {
  test('a published card becomes a token; number and security code stay nowhere in the ledger', async () => {
    const card = { ...cardOf('success'), securityCode: '987654' };
    expect(await sandbox.tokenise(card)).toEqual({
      token: expect.stringMatching(/^tok_[0-9a-f]{32}$/) as unknown,
      lastFour: '4242',
      brand: 'visa',
      holderName: 'Ana Petrova',
      expiryMonth: 2,
      expiryYear: 2030,
      fingerprint: 'sandbox-4242-2030-02',
    });
    const { rows } = await queryProvider('SELECT * FROM sandbox_cards');
    expect(JSON.stringify(rows)).not.toMatch(/4242424242424242|987654|Petrova/);
  });

  test('the same card has a new token and the same fingerprint; another card has another fingerprint', async () => {
    const first = await sandbox.tokenise(cardOf('success'));
    const second = await sandbox.tokenise(cardOf('success'));
    const other = await sandbox.tokenise({ ...cardOf('success'), number: '4111111111111111' });
    expect(second.token).not.toBe(first.token);
    expect(second.fingerprint).toBe(first.fingerprint);
    expect(other.fingerprint).not.toBe(first.fingerprint);
  });

  test('422 invalid_input: a number that is not published, and the error does not repeat it', async () => {
    const error: unknown = await sandbox
      .tokenise({ ...cardOf('success'), number: '5555555555554444' })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'invalid_input',
      details: { errors: { number: expect.any(String) as unknown } },
    });
    expect(JSON.stringify(error)).not.toContain('5555555555554444');
  });
});

describe('charge', () => {
  test.each(['4242424242424242', '4111111111111111'])('%s: paid, and looked up as paid', async (number) => {
    const { token } = await sandbox.tokenise({ ...cardOf('success'), number });
    const request = await requestFor('success', { token });
    const result = await sandbox.charge(request);
    expect(result).toEqual(paid);
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual(result);
    expect(await ledgerOf(request.idempotencyKey)).toEqual([{ charged: true, attempts: 1, amount_minor: 999 }]);
  });

  test.each([
    ['declined', 'soft', 'declined', 'Your card was declined.'],
    ['insufficient_funds', 'soft', 'insufficient_funds', 'Your card has insufficient funds.'],
    ['expired_card', 'hard', 'expired_card', 'Your card has expired.'],
  ] as const)('%s: a %s decline, each time, and nothing is charged', async (outcome, decline, reason, message) => {
    const request = await requestFor(outcome);
    const declined = { outcome: 'declined', decline, reason, message };
    expect(await sandbox.charge(request)).toEqual(declined);
    expect(await sandbox.charge(request)).toEqual(declined);
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual(declined);
    expect(await ledgerOf(request.idempotencyKey)).toEqual([{ charged: false, attempts: 2, amount_minor: 999 }]);
  });

  test('time-out before charging: unknown, then not_sent, then the next try is charged once', async () => {
    const request = await requestFor('timeout_before_charging');
    expect(await sandbox.charge(request)).toEqual({ outcome: 'unknown' });
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual({ outcome: 'not_sent' });
    expect(await ledgerOf(request.idempotencyKey)).toMatchObject([{ charged: false }]);
    const second = await sandbox.charge(request);
    expect(second).toEqual(paid);
    expect(await sandbox.charge(request)).toEqual(second);
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual(second);
    expect(await ledgerOf(request.idempotencyKey)).toEqual([{ charged: true, attempts: 3, amount_minor: 999 }]);
  });

  test('time-out after charging: unknown, yet charged, and looked up as paid', async () => {
    const request = await requestFor('timeout_after_charging');
    expect(await sandbox.charge(request)).toEqual({ outcome: 'unknown' });
    expect(await ledgerOf(request.idempotencyKey)).toMatchObject([{ charged: true }]);
    const found = await sandbox.lookUpCharge(request.idempotencyKey);
    expect(found).toEqual(paid);
    expect(await sandbox.charge(request)).toEqual(found);
  });

  test.each(['success', 'timeout_before_charging', 'timeout_after_charging'] as const)(
    '%s: 50 parallel calls with one key are one charge, and one at most loses its answer',
    async (outcome) => {
      const request = await requestFor(outcome);
      const results = await Promise.all(Array.from({ length: 50 }, () => sandbox.charge(request)));
      const answered = results.filter((result) => result.outcome !== 'unknown');
      expect(answered).toHaveLength(outcome === 'success' ? 50 : 49);
      expect(new Set(answered.map((result) => JSON.stringify(result))).size).toBe(1);
      expect(answered[0]).toEqual(paid);
      expect(await ledgerOf(request.idempotencyKey)).toEqual([{ charged: true, attempts: 50, amount_minor: 999 }]);
    },
  );

  test('an error: the same key for another amount, currency or card, and the first charge stays as it was', async () => {
    const request = await requestFor('success');
    const { token } = await sandbox.tokenise(cardOf('success'));
    await sandbox.charge(request);
    for (const change of [{ amountMinor: 1000 }, { currency: 'USD' }, { token }])
      await expect(sandbox.charge({ ...request, ...change })).rejects.toThrow('already names another charge');
    expect(await ledgerOf(request.idempotencyKey)).toEqual([{ charged: true, attempts: 1, amount_minor: 999 }]);
  });

  test('an error: a token that was never issued, and nothing is written', async () => {
    const request = await requestFor('success', { token: 'tok_unknown' });
    await expect(sandbox.charge(request)).rejects.toThrow('has not issued this card token');
    expect(await ledgerOf(request.idempotencyKey)).toEqual([]);
  });

  test('not_sent: a key that was never charged', async () => {
    expect(await sandbox.lookUpCharge(randomUUID())).toEqual({ outcome: 'not_sent' });
  });
});

describe('authentication', () => {
  test('requires_action: the same page for each try, and nothing is charged yet', async () => {
    const { request, reference, redirectUrl } = await waitingCharge();
    expect(redirectUrl).toBe(`https://pay.example.org/sandbox/authenticate/${reference}`);
    const waiting = { outcome: 'requires_action', reference, redirectUrl };
    expect(await sandbox.charge(request)).toEqual(waiting);
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual(waiting);
    expect(await ledgerOf(request.idempotencyKey)).toMatchObject([{ charged: false }]);
    const amount = { minor: 999, currency: 'EUR' };
    expect(await sandbox.findAuthentication(reference)).toEqual({ amount, description: 'Monthly pass' });
  });

  test('a charge of an absent payer has no page until the payer is back; an approval before that changes nothing', async () => {
    const { request, reference, redirectUrl } = await waitingCharge({ isOffSession: true });
    expect(redirectUrl).toBeUndefined();
    const waiting = { outcome: 'requires_action', reference };
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual(waiting);
    expect(await sandbox.findAuthentication(reference)).toBeUndefined();
    await sandbox.answerAuthentication(reference, 'approved');
    expect(await sandbox.charge(request)).toEqual(waiting);
    const confirmation = { reference, token: request.token, returnUrl: 'https://shop.example/back' };
    const page = { ...waiting, redirectUrl: `https://pay.example.org/sandbox/authenticate/${reference}` };
    expect(await sandbox.confirmCharge(request.idempotencyKey, confirmation)).toEqual(page);
    expect(await sandbox.confirmCharge(request.idempotencyKey, confirmation)).toEqual(page);
    const returned = await sandbox.answerAuthentication(reference, 'approved');
    expect(returned).toBe(`https://shop.example/back?payment_intent=${reference}`);
    expect(await sandbox.confirmCharge(request.idempotencyKey, confirmation)).toEqual({ outcome: 'paid', reference });
    expect(await ledgerOf(request.idempotencyKey)).toMatchObject([{ charged: true }]);
  });

  test('a charge of an absent payer that is given up cannot be confirmed', async () => {
    const { request, reference } = await waitingCharge({ isOffSession: true });
    const givenUp = { outcome: 'declined', reason: 'authentication_expired' };
    expect(await sandbox.voidCharge(request.idempotencyKey)).toMatchObject(givenUp);
    const confirmation = { reference, token: request.token };
    expect(await sandbox.confirmCharge(request.idempotencyKey, confirmation)).toMatchObject(givenUp);
  });

  test('approved: charged once, looked up and tried again as paid, and no longer waiting', async () => {
    const { request, reference } = await waitingCharge();
    await Promise.all(Array.from({ length: 10 }, () => sandbox.answerAuthentication(reference, 'approved')));
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual({ outcome: 'paid', reference });
    expect(await sandbox.charge(request)).toEqual({ outcome: 'paid', reference });
    expect(await sandbox.findAuthentication(reference)).toBeUndefined();
    expect(await ledgerOf(request.idempotencyKey)).toEqual([{ charged: true, attempts: 2, amount_minor: 999 }]);
  });

  test('refused: declined as authentication_failed, and a later approval changes nothing', async () => {
    const { request, reference } = await waitingCharge();
    await sandbox.answerAuthentication(reference, 'refused');
    await sandbox.answerAuthentication(reference, 'approved');
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual({
      outcome: 'declined',
      decline: 'soft',
      reason: 'authentication_failed',
      message: 'Your card could not be authenticated.',
    });
    expect(await ledgerOf(request.idempotencyKey)).toMatchObject([{ charged: false }]);
  });

  test('given up: declined as authentication_expired, and a later approval charges nothing', async () => {
    const { request, reference } = await waitingCharge();
    const expired = {
      outcome: 'declined',
      decline: 'soft',
      reason: 'authentication_expired',
      message: 'The payment was not confirmed in time.',
    };
    expect(await sandbox.voidCharge(request.idempotencyKey)).toEqual(expired);
    expect(await sandbox.findAuthentication(reference)).toBeUndefined();
    await sandbox.answerAuthentication(reference, 'approved');
    expect(await sandbox.voidCharge(request.idempotencyKey)).toEqual(expired);
    expect(await ledgerOf(request.idempotencyKey)).toMatchObject([{ charged: false }]);
  });

  test('given up too late: what is paid stays paid, and what was never charged is not sent', async () => {
    const { request, reference } = await waitingCharge();
    await sandbox.answerAuthentication(reference, 'approved');
    expect(await sandbox.voidCharge(request.idempotencyKey)).toEqual({ outcome: 'paid', reference });
    expect(await sandbox.voidCharge('a key of nobody')).toEqual({ outcome: 'not_sent' });
  });

  test('the browser returns with payment_intent beside the query and before the fragment', async () => {
    const { reference } = await waitingCharge({
      returnUrl: 'https://shop.example.org/watch?ippwat=subscription&payment_intent=old#/player',
    });
    const back = `https://shop.example.org/watch?ippwat=subscription&payment_intent=${reference}#/player`;
    expect(await sandbox.answerAuthentication(reference, 'approved')).toBe(back);
    expect(await sandbox.answerAuthentication(reference, 'refused')).toBe(back);
  });

  test('a charge without a return URL sends the browser nowhere', async () => {
    const { reference } = await waitingCharge();
    expect(await sandbox.answerAuthentication(reference, 'refused')).toBeUndefined();
  });

  test('404 payment_not_found: no charge has this reference', async () => {
    await expect(sandbox.answerAuthentication('pi_unknown', 'approved')).rejects.toMatchObject({
      code: 'payment_not_found',
    });
    expect(await sandbox.findAuthentication('pi_unknown')).toBeUndefined();
  });
});

describe('forgetCustomer', () => {
  test('the card is gone and pays no more; its charges stay in the books without a way back to the payer', async () => {
    const request = await requestFor('success', { returnUrl: 'https://shop.example/ana' });
    await sandbox.charge(request);
    await sandbox.forgetCustomer([request.token, 'tok_unknown']);
    await sandbox.forgetCustomer([request.token]);
    const later = { ...request, idempotencyKey: `${randomUUID()}:2:1` };
    expect(await sandbox.charge(later)).toMatchObject({ outcome: 'declined' });
    expect(await sandbox.lookUpCharge(request.idempotencyKey)).toEqual(paid);
    const { rows } = await queryProvider(
      `SELECT k.last_four, c.return_url, c.amount_minor::int FROM sandbox_charges c JOIN sandbox_cards k USING (token)
       WHERE c.idempotency_key = $1`,
      [request.idempotencyKey],
    );
    expect(rows).toEqual([{ last_four: '0000', return_url: null, amount_minor: 999 }]);
  });
});
