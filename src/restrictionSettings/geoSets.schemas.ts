import { z } from 'zod';
import { formId, formList, formObject, formText } from '../kit/form';
import { CountryCode, CountryOrRegionCode, RegionCode } from '../restrictions/restrictions.schemas';
import { setFields, setShape } from './sets.schemas';

const City = formObject(
  z
    .object({ name: formText({ max: 250 }), country: CountryCode, region: RegionCode.optional() })
    .refine(({ country, region }) => region === undefined || region.startsWith(`${country}-`), {
      path: ['region'],
      message: 'must be a region of the city’s country',
    }),
);

const codes = <T extends z.ZodType<string>>(code: T) =>
  formList(code, 500)
    .transform((list) => [...new Set(list)])
    .default([]);

/** Countries by ISO 3166-1 or -2, regions by ISO 3166-2, cities by name; at least one place in total. */
export const GeoSetBody = z
  .object({
    ...setFields,
    countries: codes(CountryOrRegionCode),
    regions: codes(RegionCode),
    cities: formList(City, 500).default([]),
  })
  .refine(({ countries, regions, cities }) => countries.length + regions.length + cities.length > 0, {
    path: ['countries'],
    message: 'must have at least one country, or there must be a region or a city',
  });

export const GeoSetPath = z.object({ set_id: formId() });

/** Absent fields of a city are empty texts. Times are Unix seconds. */
export const GeoSetResponse = z.object({
  ...setShape,
  countries: z.array(z.object({ id: z.int(), country: z.string() })),
  regions: z.array(z.object({ name: z.string() })),
  cities: z.array(z.object({ name: z.string(), country: z.string(), region: z.string() })),
  created_at: z.int(),
});

export const GeoSetList = z.array(GeoSetResponse);
