import { merchant, openToActors, signedIn } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Feature, FeatureBody, FeatureList, FeaturePath } from './features.schemas';
import * as features from './features';

export const featureEndpoints = {
  listFeatures: endpoint({
    method: 'get',
    path: '/v2/features',
    summary: "The feature flags of the caller's merchant",
    auth: openToActors('accounts:read', signedIn()),
    status: 200,
    response: FeatureList,
    errors: [],
    handler: ({ caller }) => features.listFeatures(caller),
  }),
  setFeature: endpoint({
    method: 'put',
    path: '/v2/features/{name}',
    summary: 'Turn a feature flag on or off',
    auth: merchant('settings:write'),
    params: FeaturePath,
    body: FeatureBody,
    status: 200,
    response: Feature,
    errors: ['not_found'],
    handler: ({ caller, params, body }) => features.setFeature(caller, params.name, body.enabled),
  }),
};
