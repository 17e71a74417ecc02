import { z } from 'zod';
import { formText } from '../kit/form';
import { formCountry, formRegion } from './taxSettings.schemas';

/** Replaces all fields. An absent field is empty. */
export const BillingDetailsBody = z.object({
  name: formText({ max: 250 }).optional(),
  address_line: formText({ max: 250 }).optional(),
  postal_code: formText({ max: 20 }).optional(),
  city: formText({ max: 120 }).optional(),
  region: formRegion().optional(),
  country: formCountry(),
  tax_number: formText({ max: 40 }).optional(),
});

/** All fields are empty until the customer enters them. */
export const BillingDetailsResponse = z.object({
  name: z.string(),
  address_line: z.string(),
  postal_code: z.string(),
  city: z.string(),
  region: z.string(),
  country: z.string(),
  tax_number: z.string(),
  tax_number_confirmed_at: z
    .int()
    .nullable()
    .meta({ description: 'Unix time at which VIES confirmed the number. Null: it is checked by its form only' }),
  removed_tax_number: z.string().meta({
    description:
      'The number that was removed, because VIES does not contain it. Empty without one, and after the details are saved again',
  }),
  tax_number_state: z.enum(['none', 'confirmed', 'waiting', 'form']).meta({
    description:
      'waiting: VIES has not answered yet and is asked every hour; until then the number counts by its form. form: no register can be asked',
  }),
});
