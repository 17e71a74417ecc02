import { randomUUID } from 'node:crypto';
import { type RefundRequest } from '../../../src/adapters/cardProviders/refunds';
import { type Sandbox } from '../../../src/adapters/cardProviders/sandbox';
import { sandboxCards, type SandboxRefundOutcome } from '../../../scripts/paymentSimulator/testCards';
import { queryProvider, startSandbox } from '../../support/sandbox';

let sandbox: Sandbox;

beforeAll(() => {
  sandbox = startSandbox();
});

/** A refund of a charge of 9.99 that was paid with a card of this kind. */
async function refundOf(outcome: SandboxRefundOutcome, changes: Partial<RefundRequest> = {}): Promise<RefundRequest> {
  const isMeant = (card: (typeof sandboxCards)[number]) =>
    card.outcome === 'success' && (card.refundOutcome ?? 'success') === outcome;
  const number = sandboxCards.find(isMeant)?.number ?? '';
  const card = { number, holderName: 'Ana Petrova', expiryMonth: 2, expiryYear: 2030, securityCode: '123' };
  const { token } = await sandbox.tokenise(card);
  const chargeKey = randomUUID();
  const money = { amountMinor: 999, currency: 'EUR' };
  const charge = await sandbox.charge({ idempotencyKey: chargeKey, token, description: 'Two days', ...money });
  if (charge.outcome !== 'paid') throw new Error(`expected paid, not ${charge.outcome}`);
  return { idempotencyKey: randomUUID(), chargeKey, chargeReference: charge.reference, ...money, ...changes };
}

const refunded = { outcome: 'refunded', reference: expect.stringMatching(/^re_[0-9a-f]{32}$/) as unknown };

async function givenBack(chargeKey: string): Promise<number[]> {
  const { rows } = await queryProvider<{ amount: number }>(
    `SELECT amount_minor::int AS amount FROM sandbox_refunds WHERE charge_key = $1 AND status = 'refunded'`,
    [chargeKey],
  );
  return rows.map(({ amount }) => amount);
}

test('success: the same key, 20 times at once, gives back once', async () => {
  const request = await refundOf('success');
  const results = await Promise.all(Array.from({ length: 20 }, () => sandbox.refund(request)));
  expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
  expect(results[0]).toEqual(refunded);
  expect(await sandbox.lookUpRefund(request)).toEqual(results[0]);
  expect(await givenBack(request.chargeKey)).toEqual([999]);
});

test('refused: for good, and nothing goes back', async () => {
  const request = await refundOf('refused');
  const refusal = { outcome: 'refused', message: 'The customer’s bank refused the refund.' };
  expect([await sandbox.refund(request), await sandbox.refund(request)]).toEqual([refusal, refusal]);
  expect(await givenBack(request.chargeKey)).toEqual([]);
});

test('timeout_after_refunding: unknown at first, and known to a look-up', async () => {
  const request = await refundOf('timeout_after_refunding');
  expect(await sandbox.refund(request)).toEqual({ outcome: 'unknown' });
  expect(await givenBack(request.chargeKey)).toEqual([999]);
  expect([await sandbox.lookUpRefund(request), await sandbox.refund(request)]).toEqual([refunded, refunded]);
  expect(await givenBack(request.chargeKey)).toEqual([999]);
});

test('timeout_before_refunding: unknown at first, never sent by a look-up, and done at the next try', async () => {
  const request = await refundOf('timeout_before_refunding');
  expect(await sandbox.refund(request)).toEqual({ outcome: 'unknown' });
  expect(await sandbox.lookUpRefund(request)).toEqual({ outcome: 'not_sent' });
  expect(await sandbox.refund(request)).toEqual(refunded);
  expect(await givenBack(request.chargeKey)).toEqual([999]);
});

test.each([
  ['pending_then_success', refunded],
  ['pending_then_refused', { outcome: 'refused', message: 'The customer’s bank refused the refund.' }],
] as const)('%s: pending until it was looked up some times, then final', async (outcome, last) => {
  const request = await refundOf(outcome);
  const pending = { ...refunded, outcome: 'pending' };
  expect([await sandbox.refund(request), await sandbox.refund(request)]).toEqual([pending, pending]);
  expect(await givenBack(request.chargeKey)).toEqual([]);
  const answers = [];
  for (let times = 0; times < 6; times++) answers.push(await sandbox.lookUpRefund(request));
  expect(answers[0]).toEqual(pending);
  expect(answers.slice(-2)).toEqual([last, last]);
});

test('a refund that was never asked for is not sent', async () => {
  expect(await sandbox.lookUpRefund(await refundOf('success'))).toEqual({ outcome: 'not_sent' });
});

test.each([
  ['of an unknown charge', { chargeKey: 'nothing' }],
  ['under another reference', { chargeReference: 'pi_other' }],
  ['of more than was paid', { amountMinor: 1000 }],
])('a refund %s is a bug', async (_what, changes) => {
  await expect(sandbox.refund(await refundOf('success', changes))).rejects.toThrow('has no charge');
});

test('a key that named another amount before is a bug', async () => {
  const request = await refundOf('success');
  await sandbox.refund({ ...request, amountMinor: 100 });
  await expect(sandbox.refund(request)).rejects.toThrow('already names another refund');
});

test('refused: 20 refunds of 1.00 with different keys at once return at most the 9.99 that were paid', async () => {
  const request = await refundOf('success');
  const refunds = Array.from({ length: 20 }, () => ({ ...request, idempotencyKey: randomUUID(), amountMinor: 100 }));
  const results = await Promise.all(refunds.map((refund) => sandbox.refund(refund)));
  expect(results.filter(({ outcome }) => outcome === 'refunded')).toHaveLength(9);
  expect(results.filter(({ outcome }) => outcome === 'refused')).toHaveLength(11);
});
