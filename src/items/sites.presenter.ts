import { type z } from 'zod';
import { type Plan, type Price } from './sites.schemas';

type PlanRecord = z.output<typeof Plan>;

/** An item, and the ids of its prices. */
export interface PlanFacts {
  item: { id: number; title: string; createdAt: Date; updatedAt: Date };
  accessModel: PlanRecord['metadata']['access_model'];
  priceIds: readonly number[];
  apple: string | undefined;
  google: string | undefined;
}

export function presentPlan({ item, accessModel, priceIds, apple, google }: PlanFacts): PlanRecord {
  return {
    id: String(item.id),
    original_id: item.id,
    type: 'plan',
    schema: null,
    created: item.createdAt.toISOString(),
    last_modified: item.updatedAt.toISOString(),
    metadata: {
      name: item.title,
      access_model: accessModel,
      tags: { include: [], exclude: [] },
      custom_params: { include: {}, exclude: {} },
      access: {
        drm_policy_id: null,
        include_tags: null,
        exclude_tags: null,
        include_custom_params: null,
        exclude_custom_params: null,
      },
      external_providers: { stripe: null, apple: apple ?? null, google: google ?? null },
    },
    relationships: { prices: priceIds.map((id) => ({ id: String(id), type: 'price' as const })) },
  };
}

/** A fee with times in Unix seconds and the amount in the major unit. */
export interface PriceFacts {
  id: number;
  item_id: number;
  amount: number;
  currency: string;
  description: string;
  access_type: { period: string; quantity: number };
  trial_period: { period: string; quantity: number } | null;
  created_at: number;
  updated_at: number;
}

export function presentPrice(fee: PriceFacts): z.output<typeof Price> {
  const { access_type: type, trial_period: trial } = fee;
  return {
    id: String(fee.id),
    original_id: fee.id,
    type: 'price',
    schema: null,
    created: isoOf(fee.created_at),
    last_modified: isoOf(fee.updated_at),
    access: { type: 'subscription', period: type.period, quantity: type.quantity },
    metadata: {
      amount: fee.amount,
      currency: fee.currency,
      name: fee.description,
      trial: trial && { period: trial.period, quantity: trial.quantity },
    },
    relationships: { plans: [{ id: String(fee.item_id), type: 'plan' }] },
  };
}

const isoOf = (seconds: number) => new Date(seconds * 1000).toISOString();
