import { z } from 'zod';
import { consumer, openToActors } from '../kit/auth';
import { endpoint } from '../kit/endpoint';
import { Message } from '../kit/page';
import {
  EnterProfileBody,
  EnteredProfileResponse,
  NewProfileBody,
  ProfileBody,
  ProfilePath,
  ProfileResponse,
} from './profiles.schemas';
import * as profiles from './profiles';

const path = '/v2/accounts/profiles';

const oneProfile = {
  path: `${path}/{id}`,
  auth: consumer(),
  params: ProfilePath,
  status: 200,
  response: ProfileResponse,
} as const;

export const profileEndpoints = {
  listProfiles: endpoint({
    feature: 'profiles',
    method: 'get',
    path,
    summary: 'List the profiles of the account',
    auth: openToActors('accounts:read', consumer()),
    status: 200,
    response: z.array(ProfileResponse),
    errors: [],
    handler: ({ caller }) => profiles.listProfiles(caller),
  }),
  createProfile: endpoint({
    feature: 'profiles',
    method: 'post',
    path,
    summary: 'Add a profile, optionally with a pin',
    auth: consumer(),
    body: NewProfileBody,
    status: 200,
    response: ProfileResponse,
    errors: ['profile_exists'],
    handler: ({ caller, body }) => profiles.createProfile(caller, body),
  }),
  getProfile: endpoint({
    feature: 'profiles',
    ...oneProfile,
    auth: openToActors('accounts:read', consumer()),
    method: 'get',
    summary: 'Get a profile',
    errors: ['profile_not_found'],
    handler: ({ caller, params }) => profiles.getProfile(caller, params.id),
  }),
  updateProfile: endpoint({
    feature: 'profiles',
    ...oneProfile,
    method: 'put',
    summary: 'Change a profile',
    body: ProfileBody,
    errors: ['profile_not_found', 'profile_exists'],
    handler: ({ caller, params, body }) => profiles.updateProfile(caller, params.id, body),
  }),
  deleteProfile: endpoint({
    feature: 'profiles',
    ...oneProfile,
    method: 'delete',
    summary: 'Delete a profile with its favourites and its watch history',
    response: Message,
    errors: ['profile_not_found'],
    handler: ({ caller, params }) => profiles.deleteProfile(caller, params.id),
  }),
  enterProfile: endpoint({
    feature: 'profiles',
    ...oneProfile,
    method: 'post',
    path: `${path}/{id}/token`,
    summary: 'Get a token of the same session for the profile, with its own favourites and watch history',
    body: EnterProfileBody,
    limit: 'credentials',
    response: EnteredProfileResponse,
    errors: ['profile_not_found', 'invalid_pin'],
    handler: ({ caller, params, body, request }) =>
      profiles.enterProfile(caller, params.id, body.pin, request.bearer ?? ''),
  }),
};
