import { z } from 'zod';
import { formText } from '../../kit/form';
import { canonicalIban, isIban } from '../../kit/ibans';

/** The IBAN is sent to the provider and never stored. */
export const MandateBody = z.object({
  name: formText({ max: 100 }),
  iban: formText({ max: 50 }).transform(canonicalIban).refine(isIban, 'must be an IBAN of a country in SEPA'),
  address: formText({ max: 250 }).optional(),
});

const MandateFacts = z.object({
  bank_code: z.string(),
  branch_code: z.string(),
  country: z.string(),
  fingerprint: z.string(),
  last4: z.string(),
  mandate_reference: z.string(),
  mandate_url: z.string(),
});

export const MandateResponse = z.object({
  is_approved: z.boolean(),
  statement_descriptor: z.string(),
  mandate: MandateFacts,
});

/** `created`: Unix seconds. The bank code and the secret of older providers are empty. */
export const CreatedMandate = z.object({
  id: z.int(),
  currency: z.string(),
  created: z.int(),
  client_secret: z.string(),
  owner: z.string(),
  full_name: z.string(),
  statement_descriptor: z.string(),
  status: z.string(),
  type_data: MandateFacts,
});
