import { inPerson, master } from '../../kit/auth';
import { endpoint } from '../../kit/endpoint';
import { Message } from '../../kit/page';
import {
  CreatedFollowerResponse,
  CreateFollowerBody,
  FollowerList,
  RelationResponse,
  RemoveRelationBody,
  UpdateRelationBody,
} from './schemas';
import * as followers from './service';

export const followerEndpoints = {
  listFollowers: endpoint({
    method: 'get',
    path: '/accounts/followers',
    summary: 'The follower accounts of the master',
    auth: master(),
    status: 200,
    response: FollowerList,
    errors: [],
    handler: ({ caller }) => followers.listFollowers(caller),
  }),
  createFollower: endpoint({
    method: 'post',
    path: '/accounts/merchants',
    summary: 'Make a follower account, or take a former one back',
    auth: inPerson(master()),
    body: CreateFollowerBody,
    status: 200,
    response: CreatedFollowerResponse,
    errors: ['missing_parameter', 'account_does_not_exist', 'account_exists', 'follower_exists'],
    handler: ({ caller, body, request }) => followers.createFollower(caller, body, request),
  }),
  updateRelation: endpoint({
    method: 'put',
    path: '/accounts/merchants/relation',
    summary: 'Say what a follower may do, and what its customers may pay with',
    auth: inPerson(master()),
    body: UpdateRelationBody,
    status: 200,
    response: RelationResponse,
    errors: ['account_does_not_exist'],
    handler: ({ caller, body, request }) => followers.updateRelation(caller, body, request),
  }),
  removeRelation: endpoint({
    method: 'delete',
    path: '/accounts/merchants/relation',
    summary: 'Take every scope from a follower, and end its sessions',
    auth: inPerson(master()),
    body: RemoveRelationBody,
    status: 200,
    response: Message,
    errors: ['account_does_not_exist'],
    handler: ({ caller, body, request }) => followers.removeRelation(caller, body.follower_id, request),
  }),
};
