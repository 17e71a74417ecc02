/** The accounts of the journal. A debit raises assets and expenses; a credit raises liabilities and income. */
export const accountClasses = {
  payment_provider: 'asset',
  app_stores: 'asset',
  tax_on_credits: 'asset',
  customer_balances: 'liability',
  deferred_revenue: 'liability',
  gifts_outstanding: 'liability',
  tax_payable: 'liability',
  open_charges: 'liability',
  open_refunds: 'liability',
  revenue: 'income',
  refunds: 'expense',
  chargebacks: 'expense',
  adjustments: 'expense',
  provider_fees: 'expense',
} as const;

export type Account = keyof typeof accountClasses;
export const accounts = Object.keys(accountClasses) as [Account, ...Account[]];

export const entryKinds = [
  ...(['charge', 'refund', 'refund_failed', 'dispute', 'balance', 'gift', 'fee'] as const),
  ...(['store_payment', 'store_refund', 'recognition'] as const),
] as const;
