import { type z } from 'zod';
import { getTenant } from '../oauthApps/clients';
import { now } from '../adapters/clock';
import { type Transaction } from '../adapters/postgres/connection';
import { type Caller } from '../kit/auth';
import { AppError } from '../kit/errors';
import { message } from '../kit/page';
import { changeRules, type RuleChange } from './rules';
import { RestrictionSettings } from './settings.model';
import { presentSettings } from './settings.presenter';
import { type RestrictionSettingsBody } from './settings.schemas';

/** Public, because apps read the settings before they show the registration form. */
export async function getRestrictionSettings(merchantOrClient: string) {
  const { merchantId, merchantUuid } = await getTenant(merchantOrClient);
  const settings = await RestrictionSettings.findByPk(merchantId);
  if (!settings) throw new AppError('account_not_found');
  return presentSettings(settings, merchantUuid);
}

export async function updateRestrictionSettings(caller: Caller, input: z.output<typeof RestrictionSettingsBody>) {
  if (input.merchant_uuid.toLowerCase() !== caller.merchantUuid) throw new AppError('account_not_found');
  const change: RuleChange = { action: 'restriction.update_settings', object: ['merchant', caller.merchantId] };
  await changeRules(caller, change, async (inTransaction) => {
    await RestrictionSettings.upsert(
      {
        merchantId: caller.merchantId,
        ageVerificationEnabled: input.age_verification_enabled,
        ageVerificationType: input.age_verification_type,
        updatedAt: now(),
      },
      { transaction: inTransaction },
    );
  });
  return message('The restriction settings have been successfully saved');
}

/** The default settings of a merchant: no age verification. */
export async function createRestrictionSettings(merchantId: number, inTransaction: Transaction): Promise<void> {
  await RestrictionSettings.create({ merchantId }, { transaction: inTransaction });
}

/** While a merchant verifies ages, a registration without a date of birth is refused with 400. */
export async function requireDateOfBirth(merchantId: number, dateOfBirth: Date | undefined): Promise<void> {
  if (dateOfBirth !== undefined) return;
  const settings = await RestrictionSettings.findByPk(merchantId);
  if (!settings?.ageVerificationEnabled) return;
  throw new AppError('missing_parameter', { errors: { date_of_birth: 'The date_of_birth must not be empty.' } });
}
