import { z } from 'zod';
import { anyone } from '../kit/auth';
import { Answer, endpoint, type RequestFacts } from '../kit/endpoint';
import { AppError } from '../kit/errors';
import { findKeepLinkMerchant, findKeptPlan, keepByLink } from '../subscriptions/mailLinks/keepLinks';
import { homeOf, noHome } from './customer/home';
import { refusalPage } from './customer/refusal';
import { keptPlanPage } from './keepLink';
import { plainHeaders } from './layout/plain';

/** The page behind the link in the mail about a cancellation. */
const page = {
  path: '/subscriptions/keep/{token}',
  auth: anyone(),
  limit: 'credentials',
  params: z.object({ token: z.string().min(1).max(200) }),
  status: 200,
  response: z.string(),
  produces: 'text/html',
  errors: ['subscription_not_found', 'merchant_not_open'],
  refusal: async (error: AppError, { token = '' }: Record<string, string>, request: RequestFacts) =>
    refusalPage(error, request, await homeOfReader(token, request)),
} as const;

export const keepLinkEndpoints = {
  showKeepLink: endpoint({
    ...page,
    method: 'get',
    summary: 'The page where a customer takes back a cancellation, without a password',
    handler: ({ params, request }) => show(params.token, request),
  }),
  submitKeepLink: endpoint({
    ...page,
    method: 'post',
    summary: 'Takes the cancellation back',
    handler: async ({ params: { token }, request }) => {
      if (!(await keepByLink(token))) return show(token, request);
      const headers = { ...plainHeaders(), Location: `/subscriptions/keep/${token}` };
      return new Answer('', { contentType: 'text/html; charset=utf-8', headers, status: 303 });
    },
  }),
};

async function show(token: string, request: RequestFacts) {
  const plan = await findKeptPlan(token);
  if (!plan) throw new AppError('subscription_not_found');
  return keptPlanPage(request, await homeOf(plan.merchantUuid, request), plan);
}

async function homeOfReader(token: string, request: RequestFacts) {
  const merchantUuid = page.params.safeParse({ token }).success ? await findKeepLinkMerchant(token) : undefined;
  return merchantUuid === undefined ? noHome : homeOf(merchantUuid, request);
}
