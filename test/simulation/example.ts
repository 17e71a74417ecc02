import { type Books } from './books';
import { type Entry, type Recorded, type Sent, type Told } from './history';

/** A small run without violations, for the tests of the checker: a subscription, a payment with its refund, and a gift. */
export interface Example {
  entries: Entry[];
  books: Books;
}

const consumer = 'consumer 1';
const merchant = 'merchant 1';

export function createExample(): Example {
  return { entries: entries(), books: books() };
}

/** The line of an entry is its place, from 1. */
export const recorded = (all: readonly Entry[]): Recorded[] =>
  all.map((entry, index) => ({ ...entry, line: index + 1, at: index }));

interface Asked {
  actor?: string;
  what: Sent['what'];
  fields?: Record<string, unknown>;
  status?: number;
  body: Told;
}

function request(operation: number, { actor = consumer, what, fields = {}, status = 200, body }: Asked): Entry[] {
  const attempt = { actor, operation, attempt: 1 };
  return [
    { kind: 'sent', ...attempt, what, key: `key-${operation}`, method: 'POST', path: `/${what}`, fields },
    { kind: 'answered', ...attempt, status, body },
  ];
}

/** The answer to the first request is lost; the second one is answered. */
function repeated(operation: number, asked: Asked): Entry[] {
  const [sent, answered] = request(operation, asked) as [Entry, Entry];
  const { actor = consumer } = asked;
  const again = { attempt: 2 };
  return [
    sent,
    { kind: 'unheard', actor, operation, attempt: 1, reason: 'ECONNRESET' },
    { ...sent, ...again },
    { ...answered, ...again },
  ];
}

const heard = (actor: string, id: number, type: string, subject: string, amountMinor = 999): Entry => ({
  kind: 'heard',
  actor,
  id,
  type,
  subject,
  amountMinor,
});

const received = (id: number, type: string) => ({
  kind: 'received' as const,
  actor: merchant,
  id,
  type,
  accountUuid: 'c',
  isAccepted: true,
});

const viewed = { status: 'active', cancel_at_period_end: true, access_fee_id: 11, pending_access_fee_id: 0 };

const entries = (): Entry[] => [
  ...request(-1, { actor: merchant, what: 'register', body: { uuid: 'm' } }),
  ...request(-2, { what: 'register', body: { uuid: 'c' } }),
  { kind: 'listening', actor: merchant, merchantUuid: 'm', after: 0 },
  { kind: 'listening', actor: consumer, merchantUuid: 'm', accountUuid: 'c', after: 0 },
  ...repeated(1, {
    what: 'subscribe',
    status: 202,
    fields: { voucher_code: 'SPRING', fee: 11, item: 1 },
    body: { subscription_id: 'S-1' },
  }),
  heard(consumer, 1, 'subscribe.success', 'S-1'),
  heard(merchant, 1, 'subscribe.success', 'S-1'),
  ...request(2, { what: 'pay', body: { transaction: 'C-1' } }),
  { kind: 'listening', actor: consumer, merchantUuid: 'm', accountUuid: 'c', after: 1 },
  heard(consumer, 2, 'payment.card.success', 'C-1', 450),
  heard(merchant, 2, 'payment.card.success', 'C-1', 450),
  ...request(3, { actor: merchant, what: 'refund', fields: { transaction: 'C-1' }, body: {} }),
  ...request(4, { what: 'cancel', fields: { subscription: 'S-1' }, body: {} }),
  { kind: 'receiving', actor: merchant, merchantUuid: 'm' },
  received(1, 'subscribe.success'),
  { ...received(2, 'payment.card.success'), isAccepted: false },
  received(2, 'payment.card.success'),
  received(1, 'subscribe.success'),
  ...request(11, { what: 'view', fields: { subscription: 'S-1' }, body: viewed }),
  ...request(12, { what: 'list', body: { listed: ['S-1'] } }),
  ...request(13, { what: 'check', fields: { item: 1 }, body: {} }),
  ...request(6, { what: 'enter', fields: { code: 'CODE', device: 'A' }, body: {} }),
  ...request(7, { actor: merchant, what: 'adjust', fields: { customer: consumer, amountMinor: 500 }, body: {} }),
  ...request(8, { what: 'look', fields: { customer: consumer }, body: { balanceMinor: 500 } }),
  ...request(10, { what: 'present', fields: { purchase: 'P' }, status: 202, body: { external_payment_id: 'X-1' } }),
  ...request(9, { what: 'export', body: {} }),
  ...request(5, { actor: merchant, what: 'advance', fields: { advance: 172_800 }, body: { ahead: 172_800 } }),
];

const books = (): Books => ({
  subscriptions: [
    { token: 'S-1', accountUuid: 'c', state: 'active', isRenewing: false, feeId: 11, pendingFeeId: 0, openAccesses: 1 },
  ],
  payments: [{ token: 'C-1', accountUuid: 'c', state: 'paid', isGift: false, chargedMinor: 450, accesses: 1 }],
  charges: [
    { key: 'S-1:1', reference: 'ch_1', amountMinor: 999, subject: 'S-1', cycle: 1, status: 'paid' },
    { key: 'C-1', reference: 'ch_2', amountMinor: 450, subject: 'C-1', cycle: 1, status: 'paid' },
  ],
  providerCharges: [
    { key: 'S-1:1', reference: 'ch_1', amountMinor: 999 },
    { key: 'C-1', reference: 'ch_2', amountMinor: 450 },
  ],
  providerRefunds: [{ key: 'R-1', reference: 're_1', amountMinor: 450 }],
  refunds: [{ key: 'R-1', reference: 're_1', amountMinor: 450, subject: 'C-1', state: 'refunded' }],
  sales: [
    { kind: 'invoice', key: 'S-1:1', amountMinor: 999, tax: { netMinor: 839, taxMinor: 160, grossMinor: 999 } },
    { kind: 'invoice', key: 'C-1', amountMinor: 450, tax: { netMinor: 378, taxMinor: 72, grossMinor: 450 } },
    { kind: 'credit_note', key: 'R-1', amountMinor: 450, tax: { netMinor: 378, taxMinor: 72, grossMinor: 450 } },
  ],
  documents: [
    { ...ofYear, kind: 'invoice', key: 'S-1:1', sequenceNo: 1, netMinor: 839, taxMinor: 160, grossMinor: 999 },
    { ...ofYear, kind: 'invoice', key: 'C-1', sequenceNo: 2, netMinor: 378, taxMinor: 72, grossMinor: 450 },
    { ...ofYear, kind: 'credit_note', key: 'R-1', sequenceNo: 3, netMinor: -378, taxMinor: -72, grossMinor: -450 },
  ],
  revenue: [{ token: 'S-1', accountUuid: 'c', ledgerMinor: 999, monthlyMinor: 999 }],
  customers: [{ accountUuid: 'c', mrrMinor: 999 }],
  mails: [
    { accountUuid: 'c', what: 'receipts', due: 2, written: 2 },
    { accountUuid: 'c', what: 'refunds', due: 1, written: 1 },
    { accountUuid: 'm', what: 'gifts', due: 0, written: 0 },
  ],
  vouchers: [
    { code: 'SPRING', isGift: false, usageLimit: 2, usageCounter: 1, usedBy: ['S-1'] },
    { code: 'GIFT', isGift: true, usageLimit: null, usageCounter: 0, usedBy: [] },
  ],
  accessCodes: [{ code: 'CODE', deviceLimit: 1, placesTaken: 1, devices: ['A'] }],
  claims: [{ token: 'X-1', accountUuid: 'c', state: 'succeeded', accesses: 1 }],
  accounts: [
    {
      ...ofConsumer,
      isErased: false,
      personalRows: 3,
      openAccesses: 2,
      exports: 1,
      exportMails: 1,
      adjustedMinor: 500,
    },
  ],
  events: [
    { ...ofConsumer, sequence: 1, type: 'subscribe.success', subject: 'S-1', amountMinor: 999 },
    { ...ofConsumer, sequence: 2, type: 'payment.card.success', subject: 'C-1', amountMinor: 450 },
  ],
  clocks: [{ merchantUuid: 'm', aheadSeconds: 172_800 }],
  unsent: [],
  journal: [],
  due: [],
  undelivered: [],
});

const ofYear = { merchantUuid: 'm', year: 2026, series: '' };
const ofConsumer = { merchantUuid: 'm', accountUuid: 'c' };
