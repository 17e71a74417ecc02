import { type z } from 'zod';
import { findProblems } from '../../adapters/companyProviders';
import { type ProviderProblem, type ProviderSettings } from '../../adapters/companyProviders/provider';
import { countHourly } from '../../adapters/hourlyCounts';
import { transaction } from '../../adapters/postgres/connection';
import { faultOfUrl } from '../../adapters/publicAddresses';
import { seal, unseal } from '../../adapters/sealing';
import { audit } from '../../audit/audit';
import { type Caller } from '../../kit/auth';
import { type RequestFacts } from '../../kit/endpoint';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { endSessionsOfCompany } from '../tokens/tokens';
import { callbackOf, signInPage } from './addresses';
import { CompanyProvider } from './company.model';
import { presentProvider } from './company.presenter';
import { type CompanyProviderBody } from './company.schemas';

/**
 * The OpenID provider with which a merchant's staff signs in. The person who sets it can sign in as any member, so it needs the
 * same right as the secrets of apps.
 */

const testsPerHour = 60;

export async function getCompanyProvider({ merchantId, merchantUuid }: Caller) {
  const row = await getRow(merchantId);
  const sign_in_url = signInPage({ company: merchantUuid });
  return presentProvider(row, { redirect_uri: callbackOf(merchantUuid).href, sign_in_url });
}

/** Connects a provider, or changes it. A provider that is turned off or replaced ends the sessions that it opened. */
export async function setCompanyProvider(
  caller: Caller,
  input: z.output<typeof CompanyProviderBody>,
  { requestId }: RequestFacts,
) {
  const { merchantId } = caller;
  const { issuer, client_id: clientId, client_secret: secret, is_active: isActive = true } = input;
  const fault = faultOfUrl(issuer);
  if (fault !== undefined) throw new AppError('invalid_input', { errors: { issuer: `The issuer must ${fault}.` } });
  const domains = [...new Set(input.domains)];
  await transaction(async (inTransaction) => {
    const locked = { transaction: inTransaction, lock: inTransaction.LOCK.UPDATE };
    const known = await CompanyProvider.findByPk(merchantId, locked);
    const isSame = known?.issuer === issuer && known.clientId === clientId;
    // The secret of one client must never be sent to another provider.
    const sealedSecret = secret === undefined ? isSame && known.sealedSecret : seal(purposeOf(merchantId), secret);
    if (!sealedSecret)
      throw new AppError('missing_parameter', { errors: { client_secret: 'The client_secret must not be empty.' } });
    const row = { merchantId, issuer, clientId, sealedSecret, domains, isActive, updatedAt: new Date() };
    await CompanyProvider.upsert(row, { transaction: inTransaction });
    const object = ['merchant', merchantId] as const;
    await audit(inTransaction, caller, { action: 'company_provider.set', object, requestId });
    if (!isActive || !isSame) await endSessionsOfCompany(inTransaction, merchantId);
  });
  return getCompanyProvider(caller);
}

export async function deleteCompanyProvider(caller: Caller, { requestId }: RequestFacts) {
  const { merchantId } = caller;
  await transaction(async (inTransaction) => {
    const deleted = await CompanyProvider.destroy({ where: { merchantId }, transaction: inTransaction });
    if (deleted === 0) throw new AppError('company_provider_not_found');
    const object = ['merchant', merchantId] as const;
    await audit(inTransaction, caller, { action: 'company_provider.delete', object, requestId });
    await endSessionsOfCompany(inTransaction, merchantId);
  });
  return message('The sign-in provider has been disconnected');
}

/** Asks the provider whether it accepts the settings, and names the wrong field. */
export async function testCompanyProvider({ merchantId, merchantUuid }: Caller) {
  const row = await getRow(merchantId);
  await countHourly(['company_provider_test', merchantId], testsPerHour);
  const settings = openSettings(row);
  const problems = settings ? await findProblems(settings, callbackOf(merchantUuid)) : [unreadable];
  return { is_valid: problems.length === 0, problems };
}

const unreadable: ProviderProblem = {
  field: 'client_secret',
  problem: 'unreadable',
  message: 'The secret was sealed with another key. Enter it again.',
};

/** The provider with its secret. Undefined if the secret was sealed with another key. */
export function openSettings(row: CompanyProvider): ProviderSettings | undefined {
  const { merchantId, issuer, clientId, sealedSecret } = row;
  const clientSecret = unseal(purposeOf(merchantId), sealedSecret);
  return clientSecret === undefined ? undefined : { issuer, clientId, clientSecret };
}

const purposeOf = (merchantId: number) => `company provider ${merchantId}`;

async function getRow(merchantId: number): Promise<CompanyProvider> {
  const row = await CompanyProvider.findByPk(merchantId);
  if (!row) throw new AppError('company_provider_not_found');
  return row;
}
