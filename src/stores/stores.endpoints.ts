import { merchant, withRecentFactor } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import {
  AmazonBody,
  AppleBody,
  GooglePlayBody,
  RokuBody,
  StorePath,
  StoreResponse,
  StoreSettingsBody,
  StoreSettingsResponse,
  StoresResponse,
  StoreTestResponse,
} from './stores.schemas';
import * as stores from './stores';

const setting = {
  method: 'put',
  auth: withRecentFactor(merchant('settings:write')),
  status: 200,
  response: StoreResponse,
  errors: [],
} as const;

export const storeEndpoints = {
  listStores: endpoint({
    feature: 'app_stores',
    method: 'get',
    path: '/stores',
    summary: 'The app stores and which of them the merchant has set up; secrets are not returned',
    auth: merchant('settings:write'),
    status: 200,
    response: StoresResponse,
    errors: [],
    handler: ({ caller }) => stores.listStores(caller),
  }),
  getStoreSettings: endpoint({
    feature: 'app_stores',
    method: 'get',
    path: '/stores/settings',
    summary:
      'The rules for purchases that two accounts present, for test purchases and unmapped products, and for Apple’s consumption requests',
    auth: merchant('settings:write'),
    status: 200,
    response: StoreSettingsResponse,
    errors: [],
    handler: ({ caller }) => stores.getStoreSettings(caller),
  }),
  updateStoreSettings: endpoint({
    feature: 'app_stores',
    method: 'put',
    path: '/stores/settings',
    summary:
      'Set the rules for purchases that two accounts present, for test purchases and unmapped products, and for Apple’s consumption requests',
    auth: merchant('settings:write'),
    body: StoreSettingsBody,
    status: 200,
    response: StoreSettingsResponse,
    errors: [],
    handler: ({ caller, body, request }) => stores.updateStoreSettings(caller, body, request),
  }),
  setAppleStore: endpoint({
    feature: 'app_stores',
    ...setting,
    path: '/stores/apple',
    summary: 'Set up the App Store: the app and a key for its Server API',
    body: AppleBody,
    handler: ({ caller, body, request }) => stores.setApple(caller, body, request),
  }),
  setGooglePlayStore: endpoint({
    feature: 'app_stores',
    ...setting,
    path: '/stores/google-play',
    summary: 'Set up Google Play: the app, its service account and the sender of push notifications',
    body: GooglePlayBody,
    handler: ({ caller, body, request }) => stores.setGooglePlay(caller, body, request),
  }),
  setAmazonStore: endpoint({
    feature: 'app_stores',
    ...setting,
    path: '/stores/amazon',
    summary: 'Set up the Amazon Appstore: the app, the shared secret and the topic of its notifications',
    body: AmazonBody,
    handler: ({ caller, body, request }) => stores.setAmazon(caller, body, request),
  }),
  setRokuStore: endpoint({
    feature: 'app_stores',
    ...setting,
    path: '/stores/roku',
    summary: 'Set up the Roku Channel Store: the partner key and the channel',
    body: RokuBody,
    handler: ({ caller, body, request }) => stores.setRoku(caller, body, request),
  }),
  deleteStore: endpoint({
    feature: 'app_stores',
    method: 'delete',
    path: '/stores/{platform}',
    summary: 'Delete the credentials of a store',
    auth: withRecentFactor(merchant('settings:write')),
    params: StorePath,
    status: 200,
    response: Message,
    errors: ['store_not_configured'],
    handler: ({ caller, params, request }) => stores.deleteStore(caller, params.platform, request),
  }),
  testStore: endpoint({
    feature: 'app_stores',
    method: 'post',
    path: '/stores/{platform}/test',
    summary: 'Test the credentials of a store and report which field is wrong',
    auth: merchant('settings:write'),
    params: StorePath,
    status: 200,
    response: StoreTestResponse,
    errors: ['store_not_configured'],
    handler: ({ caller, params }) => stores.testStore(caller, params.platform),
  }),
};
