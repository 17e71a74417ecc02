import { z } from 'zod';
import { formId, formText } from '../kit/form';
import { PageQuery } from '../kit/page';

/** A site is a merchant, by its uuid or by the id of one of its OAuth apps. */
export const SitePath = z.object({ site_id: formText({ max: 100 }) });
export const PlanPath = SitePath.extend({ plan_id: formId() });

export const SiteQuery = z.object({ page: PageQuery.shape.page, page_length: PageQuery.shape.size });

const reference = <T extends string>(type: T) => z.object({ id: z.string(), type: z.literal(type) });
const texts = z.array(z.string());
const values = z.record(z.string(), z.string());

/**
 * An item with a subscription. `original_id` is the item's id. Times are ISO 8601. A plan gives access to the item
 * itself, so the fields for tags and parameters are empty for both kinds of clients.
 */
export const Plan = z.object({
  id: z.string(),
  original_id: z.int(),
  type: z.literal('plan'),
  schema: z.null(),
  created: z.string(),
  last_modified: z.string(),
  metadata: z.object({
    name: z.string(),
    access_model: z.enum(['svod', 'authvod', 'free']),
    tags: z.object({ include: texts, exclude: texts }),
    custom_params: z.object({ include: values, exclude: values }),
    access: z.object({
      drm_policy_id: z.null(),
      include_tags: z.null(),
      exclude_tags: z.null(),
      include_custom_params: z.null(),
      exclude_custom_params: z.null(),
    }),
    /** The store ids of the first price that has any. */
    external_providers: z.object({ stripe: z.null(), apple: z.string().nullable(), google: z.string().nullable() }),
  }),
  relationships: z.object({ prices: z.array(reference('price')) }),
});

/** `exp` is the end of the access in Unix seconds. */
const OwnedPlan = Plan.extend({ exp: z.int() });

/** A subscription's fee; `original_id` is the fee's id, and the amount is in the currency's major unit. */
export const Price = z.object({
  id: z.string(),
  original_id: z.int(),
  type: z.literal('price'),
  schema: z.null(),
  created: z.string(),
  last_modified: z.string(),
  access: z.object({ type: z.literal('subscription'), period: z.string(), quantity: z.int() }),
  metadata: z.object({
    amount: z.number(),
    currency: z.string(),
    name: z.string(),
    trial: z.object({ period: z.string(), quantity: z.int() }).nullable(),
  }),
  relationships: z.object({ plans: z.array(reference('plan')) }),
});

const page = { page: z.int(), total: z.int(), page_length: z.int() };

export const PlanPage = z.object({ ...page, plans: z.array(Plan) });
export const OwnedPlanPage = z.object({ ...page, plans: z.array(OwnedPlan) });
export const PricePage = z.object({ ...page, prices: z.array(Price) });
