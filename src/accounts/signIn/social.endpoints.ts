import { z } from 'zod';
import { anyone } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { redirect } from './browserFlows';
import { CallbackQuery, ProviderPath, SocialLinksResponse, SocialQuery } from './social.schemas';
import * as social from './social';

const step = {
  method: 'get',
  auth: anyone(),
  params: ProviderPath,
  status: 303,
  response: z.string(),
  produces: 'text/plain',
} as const;

export const socialEndpoints = {
  listSocialLinks: endpoint({
    feature: 'social_login',
    method: 'get',
    path: '/accounts/social',
    summary: 'List the services with which a consumer can sign in',
    auth: anyone(),
    query: SocialQuery,
    status: 200,
    response: SocialLinksResponse,
    errors: ['invalid_client'],
    handler: ({ query }) => social.listSocialLinks(query.state),
  }),
  startSocialSignIn: endpoint({
    feature: 'social_login',
    ...step,
    path: '/accounts/social/{provider}',
    summary: 'Redirect a browser to the other service',
    query: SocialQuery,
    errors: ['social_provider_not_found', 'invalid_client', 'social_provider_unavailable'],
    handler: async ({ params, query }) => redirect(await social.startSocialSignIn(params.provider, query.state)),
  }),
  endSocialSignIn: endpoint({
    feature: 'social_login',
    ...step,
    path: '/accounts/social/{provider}/callback',
    summary:
      'The redirect address for the other service; redirects to the app with its tokens, or to our page with its cookie',
    query: CallbackQuery,
    errors: ['social_provider_not_found', 'invalid_client'],
    handler: async ({ params, query, request }) =>
      redirect(await social.endSocialSignIn(params.provider, query, request)),
  }),
};
