// The teacher's own rooms.
import "../teach.css";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { get } from "#/api/client.ts";
import { Badge } from "#/design/Badge.tsx";
import { LinkButton } from "#/design/Button.tsx";
import { Icon } from "#/design/Icon.tsx";
import { Empty, Fault, Loading } from "#/design/States.tsx";
import { plural, visible } from "#/design/text.ts";
import type { RoomLine } from "../api.ts";
import { moment } from "../words.ts";

export default function RoomsScreen() {
  const rooms = useQuery({ queryKey: ["rooms"], queryFn: () => get<RoomLine[]>("/api/rooms"), staleTime: 0 });
  return (
    <div className="teach">
      <div className="row spread">
        <div>
          <h1>Your rooms</h1>
          <p className="soft">A room is a link. Learners open it, choose a name, and play the cases you chose.</p>
        </div>
        <LinkButton look="main" href="/teach/new">
          <Icon name="plus" /> Make a room
        </LinkButton>
      </div>
      {rooms.isPending && <Loading />}
      {rooms.isError && <Fault error={rooms.error} again={() => void rooms.refetch()} />}
      {rooms.data?.length === 0 && (
        <Empty icon="teach" heading="No rooms yet">
          <p>Three clicks: make a room, choose a case, open it.</p>
          <LinkButton look="main" href="/teach/new">
            Make a room
          </LinkButton>
        </Empty>
      )}
      <ul className="tiles">
        {rooms.data?.map((room) => (
          <li key={room.id} className="card pressable">
            <h2>
              <Link className="over" href={`/teach/rooms/${room.id}`}>
                {visible(room.name)}
              </Link>
            </h2>
            <div className="row">
              <Badge look={room.open ? "good" : "quiet"}>{room.open ? "open" : "closed"}</Badge>
              <Badge>{plural(room.learners, "learner")}</Badge>
              <span className="soft small">code {room.code}</span>
            </div>
            <p className="soft small">
              Made {moment(room.created)}
              {room.expires && room.open ? `; closes ${moment(room.expires)}` : ""}
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}
