import { type z } from 'zod';
import { merchantNow } from '../../adapters/clock';
import { getOwned, transaction, violatedConstraint } from '../../adapters/postgres/connection';
import { isAtLimit } from '../../adapters/postgres/limits';
import { audit } from '../../audit/audit';
import { getAccessFee } from '../../items/accessFees/accessFees';
import { getItemRow } from '../../items/items';
import { type Caller } from '../../kit/auth';
import { AppError } from '../../kit/errors';
import { message } from '../../kit/page';
import { CancelOffer, listOfferStatistics, type OfferTerms } from './cancelOffers.model';
import { presentOffers } from './cancelOffers.presenter';
import { type CancelOfferBody } from './cancelOffers.schemas';

/** The offers of a merchant to customers who are about to cancel, with their figures. */

type Input = z.output<typeof CancelOfferBody>;

/** Ended offers count, because their figures stay. */
const offersMax = 500;

export async function createCancelOffer(caller: Caller, input: Input) {
  const { merchantId } = caller;
  const terms = termsOf(input);
  const { item_id: itemId = null, reason = null } = input;
  if (itemId !== null) await getItemRow(merchantId, itemId);
  if (itemId !== null && terms.accessFeeId !== null) await refuseOtherFee(caller, itemId, terms.accessFeeId);
  const offer = await refusingTakenPlace(() =>
    transaction(async (inTransaction) => {
      if (await isAtLimit(CancelOffer, { merchantId, max: offersMax }, inTransaction))
        throw invalid('kind', `There are ${offersMax} offers already.`);
      const row = { merchantId, itemId, reason, ...terms, createdAt: await merchantNow(merchantId, inTransaction) };
      const created = await CancelOffer.create(row, { returning: true, transaction: inTransaction });
      await audit(inTransaction, caller, { action: 'cancel_offer.create', object: ['cancel_offer', created.id] });
      return created;
    }),
  );
  return { ...message('The offer is created'), id: offer.id };
}

/** Ends an offer. It stays in the list with its figures. A customer who sees it at this moment can no longer accept it. */
export async function endCancelOffer(caller: Caller, id: number) {
  const { merchantId } = caller;
  await transaction(async (inTransaction) => {
    const locked = { transaction: inTransaction, lock: true };
    const offer = await getOwned(CancelOffer, merchantId, id, 'cancel_offer_not_found', locked);
    if (offer.endedAt !== null) throw new AppError('cancel_offer_not_found');
    await offer.update({ endedAt: await merchantNow(merchantId, inTransaction) }, { transaction: inTransaction });
    await audit(inTransaction, caller, { action: 'cancel_offer.end', object: ['cancel_offer', id] });
  });
  return message('The offer has ended');
}

export async function listCancelOffers({ merchantId }: Pick<Caller, 'merchantId'>) {
  return presentOffers(await listOfferStatistics(merchantId));
}

/** The fields of the kind. A field of another kind is refused, because it would have no effect. */
function termsOf(input: Input): OfferTerms {
  const needed = {
    pause: ['pause_months'],
    plan: ['item_id', 'access_fee_id'],
    discount: ['percent', 'charges'],
  } as const satisfies Record<Input['kind'], readonly (keyof Input)[]>;
  const { kind } = input;
  const missing = needed[kind].filter((name) => input[name] === undefined);
  if (missing.length > 0)
    throw new AppError('missing_parameter', {
      errors: Object.fromEntries(missing.map((name) => [name, `The ${name} must not be empty.`])),
    });
  const names = Object.values(needed).flat();
  const foreign = names.find(
    (name) => name !== 'item_id' && input[name] !== undefined && !(needed[kind] as readonly string[]).includes(name),
  );
  if (foreign !== undefined) throw invalid(foreign, `The ${foreign} does not go with the kind ${kind}.`);
  return {
    kind,
    pauseMonths: input.pause_months ?? null,
    accessFeeId: input.access_fee_id ?? null,
    percent: input.percent ?? null,
    charges: input.charges ?? null,
  };
}

async function refuseOtherFee(caller: Caller, itemId: number, feeId: number): Promise<void> {
  const fee = await getAccessFee(caller, itemId, feeId);
  if (fee.access_type.name !== 'subscription')
    throw invalid('access_fee_id', 'The access_fee_id must be of the type subscription.');
}

const invalid = (name: string, text: string) => new AppError('invalid_input', { errors: { [name]: text } });

async function refusingTakenPlace<T>(save: () => Promise<T>): Promise<T> {
  try {
    return await save();
  } catch (error) {
    if (violatedConstraint(error) === 'cancel_offers_place') throw new AppError('cancel_offer_exists');
    throw error;
  }
}
