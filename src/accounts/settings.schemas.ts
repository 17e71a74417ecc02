import { z } from 'zod';
import { debitAccesses, enabledNames } from '../kit/paymentMethods';
import { formBool, formInt, formList } from '../kit/form';

const day = formInt().pipe(z.int().min(1).max(60));
const isRising = (days: number[]) => days.every((each, index) => index === 0 || each > (days[index - 1] ?? 0));

/** Absent fields stay unchanged. A limit of sessions of 0 removes the limit, because an empty field counts as absent. */
export const SettingsBody = z.object({
  session_limit: formInt().pipe(z.int().min(0).max(1000)).optional(),
  session_idle_minutes: formInt()
    .refine((minutes) => minutes === 0 || (minutes >= 5 && minutes <= 129_600), 'must be 0, or 5 to 129600')
    .optional(),
  grace_days: formInt()
    .refine((days) => [0, 2, 7, 14, 21].includes(days), 'must be 0, 2, 7, 14 or 21')
    .optional(),
  retry_days: formList(day, 20)
    .refine((days) => days.length > 0 && isRising(days), 'must be days that rise')
    .optional(),
  refund_fraud_warnings: formBool().optional(),
  retry_timing: z.enum(['fixed', 'best']).optional(),
  card_expiry_reminders: formBool().optional(),
  renewal_reminder_days: formInt().pipe(z.int().min(0).max(60)).optional(),
  payment_methods: formList(z.enum(enabledNames), 10)
    .refine((names) => names.length > 0, 'must name a method')
    .transform((names) => enabledNames.filter((name) => names.includes(name)))
    .optional(),
  debit_access: z.enum(debitAccesses).optional(),
  refund_confirmation_above: formInt().pipe(z.int().min(0).max(1_000_000_000)).optional(),
  second_factor_policy: z.enum(['optional', 'required']).optional(),
  setup_checklist: formBool().optional(),
});

/**
 * Days are counted from a failed payment. `refund_fraud_warnings`: a payment is refunded, and its access ends, when the card
 * network reports it as probably fraudulent. `retry_timing`: `best` moves a planned retry by up to two days to the hour in
 * which charges after such a decline succeed most often. `renewal_reminder_days`: 0 for no reminder. `debit_access`: whether a
 * first direct debit opens access when it is submitted, or when its money has arrived. `refund_confirmation_above`: a
 * payment of which more than this amount is refunded, in the major unit of its currency, requires a recent confirmation.
 * `second_factor_policy`: `required` refuses the owner and the staff until they have a second factor or a passkey.
 * `setup_checklist`: whether the console shows the steps to the first sale.
 */
export const SettingsResponse = z.object({
  session_limit: z.int().nullable(),
  session_idle_minutes: z.int().nullable(),
  grace_days: z.int(),
  retry_days: z.array(z.int()),
  refund_fraud_warnings: z.boolean(),
  retry_timing: z.enum(['fixed', 'best']),
  card_expiry_reminders: z.boolean(),
  renewal_reminder_days: z.int(),
  payment_methods: z.array(z.enum(enabledNames)),
  debit_access: z.enum(debitAccesses),
  refund_confirmation_above: z.int(),
  second_factor_policy: z.enum(['optional', 'required']),
  setup_checklist: z.boolean(),
});
