import { z } from 'zod';
import { billingForm } from '../customer/billing';

/** The fields of the forms of the paywall. The endpoints validate their content. */

export const text = z.string().max(2000).optional();

/** `do` names the pressed button. */
export const choice = {
  do: text,
  fee: text,
  voucher_code: text,
  gift: text,
  receiver_email: text,
  card: text,
  card_name: text,
  holder_name: text,
  trial_gone: text,
  shown_fee: text,
  shown_amount: text,
  shown_currency: text,
  shown_voucher: text,
  ...billingForm,
};

export const cardFields = { payment_token: text, number: text, exp_month: text, exp_year: text, cvv: text, iban: text };

/** What was chosen before the sign-in. */
export const early = { fee: text, gift: text };

/** A submitted purchase. */
export const submitted = {
  of: z.string().max(100),
  after: z.string().regex(/^\d{1,15}$/),
  gift: text,
  fee: text,
  voucher_code: text,
  by: text,
};
