import { type ProviderFault } from '../../adapters/cardProviders/provider';
import { cardProvider } from '../../adapters/cardProviders';
import { logger } from '../../adapters/logger';
import { transaction } from '../../adapters/postgres/connection';
import { queueMail } from '../../mail/mail';
import { endFault, noteFault } from './providerFaults.model';

/** Reports a fault of the card provider to the operator and the merchant, once until it ends. */
export async function reportFault(merchantId: number, { code, message }: ProviderFault): Promise<void> {
  const provider = cardProvider.name;
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
export async function settleFault(merchantId: number, code: string): Promise<void> {
  await endFault({ merchantId, provider: cardProvider.name, code });
}
