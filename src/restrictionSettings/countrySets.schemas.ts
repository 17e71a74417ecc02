import { z } from 'zod';
import { formId, formList, formText } from '../kit/form';
import { CountryCode } from '../restrictions/restrictions.schemas';
import { setFields, setShape } from './sets.schemas';

export { ItemPath } from '../restrictions/restrictions.schemas';

export const CountrySetBody = z.object({
  ...setFields,
  countries: formList(CountryCode, 300)
    .refine((list) => list.length > 0, 'must have at least one country')
    .transform((list) => [...new Set(list)]),
});

export const CountrySetPath = z.object({ country_set_id: formId() });
export const CountrySetCountryPath = z.object({
  country_set_id: formId(),
  country_name: formText({ max: 10 }).transform((text) => text.toUpperCase()),
});
export const CountrySetItemPath = z.object({ country_set_id: formId(), item_id: formId() });

/** Countries by code, in alphabetical order. Times are Unix seconds. */
export const CountrySetResponse = z.object({
  ...setShape,
  countries: z.array(z.object({ country: z.string() })),
  created_at: z.int(),
});

export const CountrySetList = z.array(CountrySetResponse);
