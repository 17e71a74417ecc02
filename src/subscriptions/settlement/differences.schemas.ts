import { z } from 'zod';
import { formId, formText } from '../../kit/form';
import { cursorPageOf, CursorQuery } from '../../kit/page';

export const DifferencesQuery = CursorQuery.extend({ status: z.enum(['open', 'resolved']).optional() });
export const DifferencePath = z.object({ id: formId() });
export const BalanceTransactionsQuery = CursorQuery;

export const differenceActions = ['record', 'refund', 'accept'] as const;

/** `note`: required to accept a difference. */
export const ResolutionBody = z.object({
  action: z.enum(differenceActions),
  note: formText({ max: 2_000 }).optional(),
});
export type Resolution = z.output<typeof ResolutionBody>;

/** Amounts are in the major unit. Times are in Unix seconds, and 0 for an unknown time. */
export const DifferenceResponse = z.object({
  id: z.int(),
  /** `missing` means missing here, `not_found` means missing at the provider. */
  kind: z.enum([
    ...(['payment_missing', 'payment_not_found', 'refund_missing', 'refund_not_found', 'refund_failed'] as const),
    ...(['amount_differs', 'dispute_differs'] as const),
  ]),
  /** The provider's id of the payment, the refund or the dispute. */
  reference: z.string(),
  /** The provider's id of the payment. */
  payment: z.string(),
  /** The transaction here; empty if it is missing. */
  transaction: z.string(),
  /** The payment account. */
  provider: z.string(),
  provider_amount: z.number(),
  ledger_amount: z.number(),
  currency: z.string(),
  status: z.enum(['open', 'resolved']),
  /** `gone`: a later comparison did not find the difference again. Empty while it is open. */
  resolution: z.enum(['', 'recorded', 'refunded', 'accepted', 'gone']),
  note: z.string(),
  /** The actions that can resolve the difference. The recommended action is the first. */
  actions: z.array(z.enum(differenceActions)),
  happened_at: z.int(),
  found_at: z.int(),
  resolved_at: z.int(),
});
export const DifferencePage = cursorPageOf(DifferenceResponse);

/** Amounts are in the major unit, times in Unix seconds. */
export const BalanceTransactionPage = cursorPageOf(
  z.object({
    id: z.int(),
    reference: z.string(),
    kind: z.enum(['charge', 'refund', 'refund_failure', 'dispute', 'dispute_won', 'fee', 'payout', 'payout_failure']),
    payment: z.string(),
    /** The provider's id of the refund, the dispute or the payout. */
    object: z.string(),
    provider: z.string(),
    /** Negative if a payout takes money from the bank account. */
    amount: z.number(),
    currency: z.string(),
    /** In the currency of the payment account. */
    fee: z.number(),
    fee_currency: z.string(),
    happened_at: z.int(),
  }),
);
