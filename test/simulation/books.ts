/** The books at the end of a run: the service's tables and the ledger of the card provider. Amounts are in minor units. */
export interface Books {
  subscriptions: SubscriptionRow[];
  payments: PaymentRow[];
  charges: ChargeRow[];
  /** The charges and refunds of the provider. */
  providerCharges: Movement[];
  providerRefunds: Movement[];
  refunds: RefundRow[];
  vouchers: VoucherRow[];
  events: EventRow[];
  /** How far each merchant's test clock is ahead. */
  clocks: { merchantUuid: string; aheadSeconds: number }[];
  /** Pending work: messages in the outbox, and rows whose next step is due. */
  unsent: string[];
  due: string[];
  /** The accounts of the journal that differ from the ledgers. */
  journal: string[];
}

export interface SubscriptionRow {
  token: string;
  accountUuid: string;
  state: string;
  isRenewing: boolean;
  /** The number of entitlements that are valid now. */
  openAccesses: number;
}

export interface PaymentRow {
  token: string;
  accountUuid: string;
  state: string;
  isGift: boolean;
  /** Zero: nothing was to be paid. */
  chargedMinor: number;
  accesses: number;
}

export interface Movement {
  key: string;
  reference: string;
  amountMinor: number;
}

export interface ChargeRow extends Omit<Movement, 'reference'> {
  /** Null: the charge was not sent. */
  reference: string | null;
  /** The subscription or the payment. */
  subject: string;
  cycle: number;
  status: string;
}

export interface RefundRow extends Omit<Movement, 'reference'> {
  reference: string | null;
  /** The refunded payment. */
  subject: string;
  state: string;
}

export interface VoucherRow {
  code: string;
  isGift: boolean;
  /** Null: unlimited. */
  usageLimit: number | null;
  usageCounter: number;
  /** The purchases that use the voucher. */
  usedBy: string[];
}

export interface EventRow {
  merchantUuid: string;
  accountUuid: string;
  sequence: number;
  type: string;
  subject: string | null;
  amountMinor: number | null;
}
