import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type GeoSet, type GeoSetPlace } from './geoSets.model';
import { type GeoSetResponse } from './geoSets.schemas';

export function presentGeoSet(set: GeoSet): z.output<typeof GeoSetResponse> {
  const places = [...(set.places ?? [])].sort((a, b) => a.id - b.id);
  const ofKind = (kind: GeoSetPlace['kind']) => places.filter((place) => place.kind === kind);
  return {
    id: set.id,
    merchant_id: set.merchantId,
    name: set.name,
    type: set.type,
    global: set.isGlobal,
    countries: ofKind('country').map(({ id, country }) => ({ id, country: country ?? '' })),
    regions: ofKind('region').map(({ region }) => ({ name: region ?? '' })),
    cities: ofKind('city').map(({ city, country, region }) => ({
      name: city ?? '',
      country: country ?? '',
      region: region ?? '',
    })),
    created_at: unixSeconds(set.createdAt),
  };
}
