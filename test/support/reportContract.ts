import { randomUUID } from 'node:crypto';
import {
  type DisputeEvidence,
  type EvidenceFile,
  type NotifiedDispute,
  type ProviderNotification,
} from '../../src/adapters/cardProviders/notifications';
import { type CardProvider } from '../../src/adapters/cardProviders/provider';
import { type AppError } from '../../src/kit/errors';

/** The answers that the service expects of a provider that reports disputes, fraud and replaced cards by itself. */

/** A notification as the provider sends it. */
export interface SentNotification {
  body: Buffer;
  signature: string;
}

/** Plays the bank and the card network, and reads what the provider reports. */
export interface PlayedBank {
  /** The bank takes a whole charge back, as fraudulent. Returns the reference of the dispute. */
  dispute(chargeReference: string): Promise<string>;
  decide(disputeReference: string, decision: 'won' | 'lost'): Promise<void>;
  /** The card network reports a charge as probably fraudulent. */
  warn(chargeReference: string): Promise<void>;
  /** The bank replaces the card of a token by one that ends with 1111 and expires in March 2044. */
  replaceCard(token: string): Promise<void>;
  /** All notifications, oldest first. */
  sent(): Promise<SentNotification[]>;
  /** A signature of this body that is 10 minutes old, and one by the secret of another account. */
  badSignatures(body: Buffer): string[];
}

interface UnderTest {
  provider: CardProvider;
  saveCard(card: 'accepted'): Promise<string>;
  bank?: PlayedBank;
}

const evidence: DisputeEvidence = {
  customerName: 'Ana Petrova',
  customerEmail: 'ana@example.org',
  customerAddress: '203.0.113.7',
  productDescription: 'Cup final: Monthly pass',
  serviceDay: '2026-03-01',
  accessLog: '2026-03-01 12:00 UTC: the customer signed in',
  receipt: { bytes: Buffer.from('%PDF-1.7\n%%EOF'), name: 'receipt-S-1-1-1.pdf' },
  statement: 'The customer watched it.',
};

/** The order in which the states of one moment count. */
const ranks = ['needs_response', 'under_review', 'lost', 'won'];

export function describeReports(get: () => UnderTest, pay: () => Promise<string>): void {
  const bank = (): PlayedBank => {
    const { bank: played } = get();
    if (!played) throw new Error('the provider reports nothing by itself');
    return played;
  };
  const read = ({ body, signature }: SentNotification): ProviderNotification => {
    const notification = get().provider.readNotification?.(body, signature);
    if (!notification) throw new Error('the provider sends no notifications');
    return notification;
  };
  const heard = async () => (await bank().sent()).map(read);
  const statesOf = async (reference: string): Promise<NotifiedDispute[]> =>
    (await heard()).flatMap(({ dispute }) => (dispute?.reference === reference ? [dispute] : []));

  async function disputed() {
    const reference = await pay();
    return { reference, disputeReference: await bank().dispute(reference) };
  }

  describe('a dispute', () => {
    test('is reported with its charge, reason, amount, fee and deadline, and a look-up says the same', async () => {
      const { reference, disputeReference } = await disputed();
      const told = (await heard()).find(({ dispute }) => dispute?.reference === disputeReference);
      const terms = {
        reference: disputeReference,
        status: 'needs_response',
        reason: 'fraudulent',
        amountMinor: 999,
        currency: 'EUR',
        fee: { amountMinor: 1_500, currency: 'EUR' },
      };
      expect(told).toMatchObject({ about: 'disputed', reference, dispute: terms });
      expect(told?.dispute?.dueAt?.getTime()).toBeGreaterThan(Date.now());
      expect(await get().provider.readDispute?.(disputeReference)).toMatchObject(terms);
    });

    test.each([
      ['won', 'dispute_won'],
      ['lost', 'disputed'],
    ] as const)('that is %s: the newest of its notifications has the decision', async (decision, about) => {
      const { disputeReference } = await disputed();
      await bank().decide(disputeReference, decision);
      const states = await statesOf(disputeReference);
      const rank = ({ at, status }: NotifiedDispute) => at.getTime() * 10 + ranks.indexOf(status);
      expect(states.toSorted((a, b) => rank(a) - rank(b)).at(-1)?.status).toBe(decision);
      const last = (await heard()).filter(({ dispute }) => dispute?.status === decision).at(-1);
      expect(last).toMatchObject({ about, dispute: { reference: disputeReference } });
      expect(await get().provider.readDispute?.(disputeReference)).toMatchObject({ status: decision });
    });

    test('takes evidence once', async () => {
      const { disputeReference } = await disputed();
      expect(await get().provider.submitEvidence?.(disputeReference, evidence)).toEqual({ outcome: 'submitted' });
      expect(await get().provider.readDispute?.(disputeReference)).toMatchObject({ status: 'under_review' });
      const message = expect.stringMatching(/./) as string;
      const refused = { outcome: 'refused', message };
      expect(await get().provider.submitEvidence?.(disputeReference, evidence)).toEqual(refused);
      expect(await get().provider.submitEvidence?.('dp_unknown', evidence)).toEqual(refused);
    });

    test('takes no receipt that is not a PDF, and then the evidence with one', async () => {
      const { disputeReference } = await disputed();
      const submit = (receipt?: EvidenceFile) =>
        get().provider.submitEvidence?.(disputeReference, { ...evidence, ...(receipt && { receipt }) });
      const text = { bytes: Buffer.from('Receipt'), name: 'receipt.txt' };
      expect(await submit(text)).toMatchObject({ outcome: 'refused' });
      expect(await get().provider.readDispute?.(disputeReference)).toMatchObject({ status: 'needs_response' });
      expect(await submit()).toEqual({ outcome: 'submitted' });
    });

    test('stands in the balance with its fee, and comes back when it is won', async () => {
      const { reference, disputeReference } = await disputed();
      await bank().decide(disputeReference, 'won');
      const moved = [];
      for await (const one of get().provider.listBalance?.(new Date(Date.now() - 86_400_000)) ?? [])
        if (one.objectReference === disputeReference) moved.push(one);
      const movement = { chargeReference: reference, amountMinor: 999, currency: 'EUR' };
      expect(moved.toSorted((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
        { ...movement, kind: 'dispute', feeMinor: 1_500 },
        { ...movement, kind: 'dispute_won', feeMinor: 0 },
      ]);
    });

    test('leaves nothing to refund', async () => {
      const { reference } = await disputed();
      const [charge] = await chargesWith(reference);
      const money = { amountMinor: 999, currency: 'EUR' };
      const refund = { idempotencyKey: `R-${randomUUID()}`, chargeKey: charge ?? '', chargeReference: reference };
      expect(await get().provider.refund({ ...refund, ...money })).toMatchObject({ outcome: 'refused' });
    });
  });

  async function chargesWith(reference: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const one of get().provider.listPayments(new Date(Date.now() - 86_400_000)))
      if (one.reference === reference) keys.push(one.idempotencyKey);
    return keys;
  }

  describe('a notification', () => {
    test('has one id, however often it is read, and each event has its own', async () => {
      await bank().warn(await pay());
      await bank().warn(await pay());
      const ids = (await heard()).map(({ id }) => id);
      expect((await heard()).map(({ id }) => id)).toEqual(ids);
      expect(new Set(ids).size).toBe(ids.length);
    });

    test('of probable fraud names the charge', async () => {
      const reference = await pay();
      await bank().warn(reference);
      expect((await heard()).at(-1)).toMatchObject({ about: 'fraud_warning', reference });
    });

    test('of a replaced card has its token and what is printed on the new card', async () => {
      const token = await get().saveCard('accepted');
      await bank().replaceCard(token);
      const card = { token, lastFour: '1111', brand: 'visa', expiryMonth: 3, expiryYear: 2044 };
      expect((await heard()).at(-1)).toMatchObject({ about: 'card', card });
    });

    test('400: forged, changed on its way, unsigned, or too old', async () => {
      await bank().warn(await pay());
      const [last] = (await bank().sent()).slice(-1);
      if (!last) throw new Error('nothing was sent');
      const changed = Buffer.from(last.body.toString().replace('pi_', 'pi_x'));
      const forged = ['', last.signature.slice(0, -8), ...bank().badSignatures(last.body)];
      const codeOf = (sent: SentNotification) => {
        try {
          return read(sent).id;
        } catch (error) {
          return (error as AppError).code;
        }
      };
      for (const signature of forged) expect(codeOf({ ...last, signature })).toBe('invalid_signature');
      expect(codeOf({ ...last, body: changed })).toBe('invalid_signature');
    });
  });
}
