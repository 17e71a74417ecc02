import { merchant } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
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
} from './schemas';
import * as stores from './service';

const setting = {
  method: 'put',
  auth: merchant('settings:write'),
  status: 200,
  response: StoreResponse,
  errors: [],
} as const;

export const storeEndpoints = {
  listStores: endpoint({
    method: 'get',
    path: '/stores',
    summary: 'The app stores, and which of them the merchant has set up; no secret is told',
    auth: merchant('settings:write'),
    status: 200,
    response: StoresResponse,
    errors: [],
    handler: ({ caller }) => stores.listStores(caller),
  }),
  getStoreSettings: endpoint({
    method: 'get',
    path: '/stores/settings',
    summary: 'Whose a purchase is that two accounts present, and whether test purchases count',
    auth: merchant('settings:write'),
    status: 200,
    response: StoreSettingsResponse,
    errors: [],
    handler: ({ caller }) => stores.getStoreSettings(caller),
  }),
  updateStoreSettings: endpoint({
    method: 'put',
    path: '/stores/settings',
    summary: 'Set whose a purchase is that two accounts present, and whether test purchases count',
    auth: merchant('settings:write'),
    body: StoreSettingsBody,
    status: 200,
    response: StoreSettingsResponse,
    errors: [],
    handler: ({ caller, body, request }) => stores.updateStoreSettings(caller, body, request),
  }),
  setAppleStore: endpoint({
    ...setting,
    path: '/stores/apple',
    summary: 'Set up the App Store: the app, and a key of its Server API',
    body: AppleBody,
    handler: ({ caller, body, request }) => stores.setApple(caller, body, request),
  }),
  setGooglePlayStore: endpoint({
    ...setting,
    path: '/stores/google-play',
    summary: 'Set up Google Play: the app, its service account, and who pushes notifications',
    body: GooglePlayBody,
    handler: ({ caller, body, request }) => stores.setGooglePlay(caller, body, request),
  }),
  setAmazonStore: endpoint({
    ...setting,
    path: '/stores/amazon',
    summary: 'Set up the Amazon Appstore: the app, the shared secret, and the topic of its notifications',
    body: AmazonBody,
    handler: ({ caller, body, request }) => stores.setAmazon(caller, body, request),
  }),
  setRokuStore: endpoint({
    ...setting,
    path: '/stores/roku',
    summary: 'Set up the Roku Channel Store: the partner key and the channel',
    body: RokuBody,
    handler: ({ caller, body, request }) => stores.setRoku(caller, body, request),
  }),
  deleteStore: endpoint({
    method: 'delete',
    path: '/stores/{platform}',
    summary: 'Forget the credentials of a store',
    auth: merchant('settings:write'),
    params: StorePath,
    status: 200,
    response: Message,
    errors: ['store_not_configured'],
    handler: ({ caller, params, request }) => stores.deleteStore(caller, params.platform, request),
  }),
  testStore: endpoint({
    method: 'post',
    path: '/stores/{platform}/test',
    summary: 'Ask the store whether it takes the credentials, and say which field is wrong',
    auth: merchant('settings:write'),
    params: StorePath,
    status: 200,
    response: StoreTestResponse,
    errors: ['store_not_configured'],
    handler: ({ caller, params }) => stores.testStore(caller, params.platform),
  }),
};
