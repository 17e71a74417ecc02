import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { isCountry } from '../../kit/iso3166';
import { type Account } from '../accounts.model';
import { type FollowerRelation } from './followers.model';
import { type FollowerList, type RelationResponse } from './followers.schemas';

export function presentRelation(relation: FollowerRelation): z.output<typeof RelationResponse> {
  return {
    master_id: relation.masterId,
    follower_id: relation.followerId,
    scopes: relation.scopes,
    methods: relation.methods,
    created_at: unixSeconds(relation.createdAt),
  };
}

export function presentFollower(relation: FollowerRelation, account: Account): z.output<typeof FollowerList>[number] {
  return {
    id: account.id,
    uuid: account.uuid,
    email: account.email,
    full_name: account.fullName,
    country: countryCodeOf(account.metadata['country']),
    active: account.isActive,
    merchant_id: account.merchantId,
    is_master: false,
    scopes: relation.scopes,
    methods: relation.methods,
    created_at: unixSeconds(relation.createdAt),
  };
}

/** An ISO 3166-1 alpha-2 code; null for other text, because a follower writes its own metadata. */
function countryCodeOf(text: string | undefined): string | null {
  const code = text?.trim().toUpperCase() ?? '';
  return isCountry(code) ? code : null;
}
