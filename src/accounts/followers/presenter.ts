import { type z } from 'zod';
import { unixSeconds } from '../../kit/time';
import { type Account } from '../model';
import { type FollowerRelation } from './model';
import { type FollowerList, type RelationResponse } from './schemas';

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
    country: account.metadata['country'] ?? '',
    active: account.isActive,
    merchant_id: account.merchantId,
    is_master: false,
    scopes: relation.scopes,
    methods: relation.methods,
    created_at: unixSeconds(relation.createdAt),
  };
}
