import { type ProviderFault } from '../../adapters/cardProviders/provider';
import { logger } from '../../adapters/logger';
import { transaction } from '../../adapters/postgres/connection';
import { queueMail } from '../../mail/mail';
import { endFault, noteFault } from './providerFaults.model';
import { getProvider, type ProvidedObject } from './providers';

/** Reports a fault of an account to the operator and the merchant, once until it ends. */
export async function reportFault(of: ProvidedObject, { code, message }: ProviderFault): Promise<void> {
  const { merchantId } = of;
  const provider = await nameOf(of);
  const isNew = await transaction(async (inTransaction) => {
    const noted = await noteFault({ merchantId, provider, code, message }, inTransaction);
    const mail = { merchantId, accountId: merchantId, to: noted.email };
    if (noted.isNew)
      await queueMail(inTransaction, { ...mail, template: 'charges_refused', values: { provider, code, message } });
    return noted.isNew;
  });
  if (isNew) logger.error({ merchantId, provider, code, message }, 'the card provider refuses charges');
}

/** A charge that was refused for the fault was accepted: the fault is over, and its next occurrence is reported. */
export async function settleFault(of: ProvidedObject, code: string): Promise<void> {
  await endFault({ merchantId: of.merchantId, provider: await nameOf(of), code });
}

async function nameOf({ merchantId, provider }: ProvidedObject): Promise<string> {
  return provider ?? (await getProvider(merchantId)).name;
}
