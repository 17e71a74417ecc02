import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type Profile } from './profiles.model';
import { type EnteredProfileResponse, type ProfileResponse } from './profiles.schemas';

/** The account's first profile is its default one. */
export function presentProfile(profile: Profile, defaultId: number): z.output<typeof ProfileResponse> {
  return {
    id: `pr_${profile.id}`,
    account_id: String(profile.accountId),
    name: profile.name,
    avatar_url: profile.avatarUrl,
    default: profile.id === defaultId,
    adult: profile.isAdult,
    pin_required: profile.pinHash !== null,
    created_at: unixSeconds(profile.createdAt),
    updated_at: unixSeconds(profile.updatedAt),
  };
}

export function presentEnteredProfile(
  profile: z.output<typeof ProfileResponse>,
  token: { accessToken: string; expiresAtSeconds: number },
): z.output<typeof EnteredProfileResponse> {
  return { ...profile, credentials: { access_token: token.accessToken, expires: token.expiresAtSeconds } };
}
