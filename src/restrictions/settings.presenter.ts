import { type z } from 'zod';
import { unixSeconds } from '../kit/time';
import { type RestrictionSettings } from './settings.model';
import { type RestrictionSettingsResponse } from './settings.schemas';

export function presentSettings(
  settings: RestrictionSettings,
  merchantUuid: string,
): z.output<typeof RestrictionSettingsResponse> {
  return {
    age_verification_type: settings.ageVerificationType,
    age_verification_enabled: settings.ageVerificationEnabled,
    merchant_uuid: merchantUuid,
    created_at: unixSeconds(settings.createdAt),
    updated_at: unixSeconds(settings.updatedAt),
  };
}
