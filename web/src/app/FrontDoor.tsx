import "./front-door.css";
import { Link } from "wouter";
import { LinkButton } from "#/design/Button.tsx";
import { Icon, type IconName } from "#/design/Icon.tsx";
import { ExampleList } from "#/tour/ExampleList.tsx";

const KEPT = "osler.door";
const DOORS: { id: string; path: string; name: string; icon: IconName; says: string }[] = [
  {
    id: "practise",
    path: "/practise",
    name: "Practise",
    icon: "chair",
    says: "Sit down with a simulated patient: talk, examine, order tests, decide, and see how it went.",
  },
  {
    id: "teach",
    path: "/teach",
    name: "Teach",
    icon: "teach",
    says: "Open a room for your students, choose the cases, and look at the encounters together.",
  },
  {
    id: "evaluate",
    path: "/evaluate",
    name: "Evaluate",
    icon: "chart",
    says: "Watch recorded encounters, compare doctors and models, and find out why a case went wrong.",
  },
];

/** The front door: three doors, the one last used first. */
export default function FrontDoor() {
  const last = localStorage.getItem(KEPT);
  return (
    <div className="door-hall">
      <div className="intro">
        <h1>Welcome to Osler</h1>
        <p>
          Here you meet simulated patients. Each knows one story, tells what is asked, and can be examined and tested; then
          you see what you found and what you missed. Students practise with them, teachers open rooms, and researchers
          measure how doctors and language models do.
        </p>
        <p className="soft small">
          An open-source project, under the MIT licence. It is no health service: for education and research only.{" "}
          <Link href="/about">About Osler</Link>
        </p>
        <p>
          <LinkButton href="/tour" look="main">
            See how it works, in ninety seconds
          </LinkButton>
        </p>
      </div>
      <div className="doors">
        {[...DOORS]
          .sort((a, b) => Number(b.id === last) - Number(a.id === last))
          .map(({ id, path, name, icon, says }) => (
            <Link key={id} href={path} className="door" onClick={() => localStorage.setItem(KEPT, id)}>
              <span className={`sign ${id}`}>
                <Icon name={icon} size={30} />
              </span>
              <h2>{name}</h2>
              <p>{says}</p>
              {id === last && <span className="last">You were here last time</span>}
            </Link>
          ))}
      </div>
      <ExampleList heading="Watch a recorded example" />
    </div>
  );
}
