import { z } from 'zod';
import { formBool, formId, formText } from '../kit/form';
import { isCountry, isRegion } from '../kit/iso3166';

export const ListType = z.enum(['whitelist', 'blacklist']);

const code = () => formText({ max: 10 }).transform((text) => text.toUpperCase());

/** ISO 3166-1 alpha-2. */
export const CountryCode = code().refine(isCountry, 'must be a country of ISO 3166-1, such as MK');

/** ISO 3166-2. */
export const RegionCode = code().refine(isRegion, 'must be a region of ISO 3166-2, such as US-CA');

/** ISO 3166-1 or -2: the specification asks for either where a geo set has countries (spec 4.4). */
export const CountryOrRegionCode = code().refine(
  (text) => isCountry(text) || isRegion(text),
  'must be a country of ISO 3166-1 or a region of ISO 3166-2, such as MK or US-CA',
);

/** What a country set and a geo set have in common. */
export const setFields = {
  name: formText({ max: 250 }),
  global: formBool(),
  type: ListType,
};

export const ItemPath = z.object({ item_id: formId() });
