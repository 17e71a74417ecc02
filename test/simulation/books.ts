/** The books at the end of a run: the service's tables and the ledger of the card provider. Amounts are in minor units. */
export interface Books {
  subscriptions: SubscriptionRow[];
  payments: PaymentRow[];
  charges: ChargeRow[];
  /** The charges and refunds of the provider. */
  providerCharges: Movement[];
  providerRefunds: (Movement & { chargeKey?: string })[];
  refunds: RefundRow[];
  vouchers: VoucherRow[];
  accessCodes: AccessCodeRow[];
  /** Purchases of app stores that customers have presented. */
  claims: ClaimRow[];
  /** The consumers. */
  accounts: AccountRow[];
  events: EventRow[];
  /** The paid charges and the refunds of merchants with a tax profile. */
  sales: SaleRow[];
  documents: DocumentRow[];
  revenue: RevenueRow[];
  /** The monthly amount of each customer. */
  customers: { accountUuid: string; mrrMinor: number }[];
  mails: MailRow[];
  /** How far each merchant's test clock is ahead. */
  clocks: { merchantUuid: string; aheadSeconds: number }[];
  /** Pending work: messages in the outbox, and rows whose next step is due. */
  unsent: string[];
  due: string[];
  /** Events that webhooks still wait for. */
  undelivered: string[];
  /** The accounts of the journal that differ from the ledgers. */
  journal: string[];
}

export interface SubscriptionRow {
  token: string;
  accountUuid: string;
  state: string;
  isRenewing: boolean;
  feeId: number;
  /** The plan of the next period. 0: the plan stays. */
  pendingFeeId: number;
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
  /** The charge of a plan change whose run was lost. It is refunded. */
  isInterrupted?: boolean;
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

export interface AccessCodeRow {
  code: string;
  deviceLimit: number;
  /** Places that are taken, and the devices that have them. */
  placesTaken: number;
  devices: string[];
}

export interface ClaimRow {
  token: string;
  accountUuid: string;
  state: string;
  /** The number of entitlements of its purchase. */
  accesses: number;
}

export interface AccountRow {
  accountUuid: string;
  merchantUuid: string;
  isErased: boolean;
  /** Sessions, mails, cards and the own address. */
  personalRows: number;
  openAccesses: number;
  /** Finished exports. */
  exports: number;
  exportMails: number;
  /** The balance in the currency that only adjustments change. */
  adjustedMinor: number;
}

interface TaxedAmount {
  netMinor: number;
  taxMinor: number;
  grossMinor: number;
}

/** Money that needs a document: a charge an invoice, and a refund a credit note. */
export interface SaleRow {
  kind: 'invoice' | 'credit_note';
  /** The key of the charge, or the token of the refund. */
  key: string;
  amountMinor: number;
  /** Null: no tax was decided. */
  tax: TaxedAmount | null;
}

/** An invoice, or a document that corrects one. Amounts of a credit note are negative. */
export interface DocumentRow extends TaxedAmount {
  merchantUuid: string;
  kind: SaleRow['kind'] | 'cancellation';
  /** Like the key of a sale. */
  key: string;
  year: number;
  series: string;
  sequenceNo: number;
}

/** A subscription in the MRR ledger. */
export interface RevenueRow {
  token: string;
  accountUuid: string;
  ledgerMinor: number;
  /** The monthly price, less the discount of a voucher. Zero if the subscription is not paid. */
  monthlyMinor: number;
}

/** Mails about money. */
export interface MailRow {
  /** The customer, or the merchant for mails to receivers of gifts. */
  accountUuid: string;
  what: 'receipts' | 'refunds' | 'gifts';
  due: number;
  written: number;
}

export interface EventRow {
  merchantUuid: string;
  accountUuid: string;
  sequence: number;
  type: string;
  subject: string | null;
  amountMinor: number | null;
}
