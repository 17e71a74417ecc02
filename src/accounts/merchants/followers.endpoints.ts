import { master, withRecentFactor } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message, PageQuery } from '../../kit/page';
import {
  CreatedFollowerResponse,
  CreateFollowerBody,
  FollowerList,
  RelationResponse,
  RemoveRelationBody,
  UpdateRelationBody,
} from './followers.schemas';
import * as followers from './followers';

export const followerEndpoints = {
  listFollowers: endpoint({
    method: 'get',
    path: '/accounts/followers',
    summary: 'List the follower accounts of the master',
    auth: master(),
    query: PageQuery,
    status: 200,
    response: FollowerList,
    errors: [],
    handler: ({ caller, query }) => followers.listFollowers(caller, query),
  }),
  createFollower: endpoint({
    method: 'post',
    path: '/accounts/merchants',
    summary: 'Create a follower account, or restore a former follower',
    auth: withRecentFactor(master()),
    body: CreateFollowerBody,
    status: 200,
    response: CreatedFollowerResponse,
    errors: ['too_many_requests', 'missing_parameter', 'account_does_not_exist', 'account_exists', 'follower_exists'],
    handler: ({ caller, body, request }) => followers.createFollower(caller, body, request),
  }),
  updateRelation: endpoint({
    method: 'put',
    path: '/accounts/merchants/relation',
    summary: 'Set a follower’s scopes and the payment methods of its customers',
    auth: withRecentFactor(master()),
    body: UpdateRelationBody,
    status: 200,
    response: RelationResponse,
    errors: ['account_does_not_exist'],
    handler: ({ caller, body, request }) => followers.updateRelation(caller, body, request),
  }),
  removeRelation: endpoint({
    method: 'delete',
    path: '/accounts/merchants/relation',
    summary: 'Remove all scopes of a follower and end its sessions',
    auth: withRecentFactor(master()),
    body: RemoveRelationBody,
    status: 200,
    response: Message,
    errors: ['account_does_not_exist'],
    handler: ({ caller, body, request }) => followers.removeRelation(caller, body.follower_id, request),
  }),
};
