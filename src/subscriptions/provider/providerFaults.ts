import { type ProviderFault } from '../../adapters/cardProviders/provider';
import { logger } from '../../adapters/logger';
import { transaction } from '../../adapters/postgres/connection';
import { baseUrl } from '../../adapters/settings';
import { queueMail } from '../../mail/mail';
import { endFault, findFault, noteFault } from './providerFaults.model';
import { getProvider, type ProvidedObject } from './providers';

export { findFault };

/** The page of the console with the merchant's account at the card provider. */
const accountPage = `${baseUrl}/console/settings/payments`;

/** Reports a fault of an account to the operator and the merchant, once until the fault ends. */
export async function reportFault(of: ProvidedObject, { code, message }: ProviderFault): Promise<void> {
  const { merchantId } = of;
  const provider = await nameOf(of);
  const isNew = await transaction(async (inTransaction) => {
    const noted = await noteFault({ merchantId, provider, code, message }, inTransaction);
    const mail = { merchantId, accountId: merchantId, to: noted.email };
    const values = { provider, code, message, url: accountPage };
    if (noted.isNew) await queueMail(inTransaction, { ...mail, template: 'charges_refused', values });
    return noted.isNew;
  });
  if (isNew) logger.error({ merchantId, provider, code, message }, 'the card provider refuses charges');
}

/**
 * The provider has accepted a charge that it refused for the fault. The fault has ended, and its next occurrence is
 * reported again.
 */
export async function settleFault(of: ProvidedObject, code: string): Promise<void> {
  await endFault({ merchantId: of.merchantId, provider: await nameOf(of), code });
}

async function nameOf({ merchantId, provider }: ProvidedObject): Promise<string> {
  return provider ?? (await getProvider(merchantId)).name;
}
