import { type TaxMaker } from '../../adapters/cardProviders/taxes';
import { cardProvider } from '../../adapters/cardProviders';
import { type TaxAccount } from '../../tax/calculators';
import { findPayee, getProvider, getProviderOf } from './providers';

/**
 * The account that calculates the tax of a merchant's new charges. Undefined if it calculates none, or if merchants share it:
 * the registrations in it are then not those of the merchant.
 */
export async function findTaxAccountOf(merchantId: number): Promise<TaxAccount | undefined> {
  const { name, taxes } = await getProvider(merchantId);
  if (!taxes) return undefined;
  const isOwn = name !== cardProvider.name || (await findPayee(0)) === merchantId;
  return isOwn ? { name, taxes } : undefined;
}

/** The tax of the account in which a sale was calculated. */
export const findTaxesOf = async (of: { merchantId: number; provider: string }): Promise<TaxMaker | undefined> =>
  (await getProviderOf(of)).taxes;
