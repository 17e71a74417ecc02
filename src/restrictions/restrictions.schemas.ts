import { z } from 'zod';
import { formId, formText } from '../kit/form';
import { isCountry, isRegion } from '../kit/iso3166';

export const ListType = z.enum(['whitelist', 'blacklist']);

const code = () => formText({ max: 10 }).transform((text) => text.toUpperCase());

/** ISO 3166-1 alpha-2. */
export const CountryCode = code().refine(isCountry, 'must be a country of ISO 3166-1, such as MK');

/** ISO 3166-2. */
export const RegionCode = code().refine(isRegion, 'must be a region of ISO 3166-2, such as US-CA');

/** ISO 3166-1 or -2: a geo set accepts either as a country. */
export const CountryOrRegionCode = code().refine(
  (text) => isCountry(text) || isRegion(text),
  'must be a country of ISO 3166-1 or a region of ISO 3166-2, such as MK or US-CA',
);

export const ItemPath = z.object({ item_id: formId() });
