# SPDX-License-Identifier: MIT
"""Whether a newer description of the ABI keeps all that an older one promises. abidiff cannot be told that members may
be appended to structs that say their size, and nothing else may change: so the two descriptions are read here."""
import xml.etree.ElementTree as tree

# They say no more than they do today, however long they become.
FROZEN = {"norm_error", "norm_allocator"}


class Description:
    """Functions as lines of text, structs as lists of lines, one a member."""

    def __init__(self, path):
        self.types, self.functions, self.structs = {}, {}, {}
        root = tree.parse(path).getroot()
        for node in root.iter():
            if "id" in node.attrib:
                self.types[node.get("id")] = node
        for node in root.iter("function-decl"):
            self.functions[node.get("name")] = self.function(node)
        for node in root.iter("class-decl"):
            if node.get("is-declaration-only") != "yes":
                self.structs[node.get("name")] = [
                    f"{member.get('layout-offset-in-bits')} {var.get('name')}: {self.name(var.get('type-id'))}"
                    for member in node.findall("data-member") for var in member.findall("var-decl")]

    def function(self, node):
        parameters = [self.name(p.get("type-id")) for p in node.findall("parameter")]
        return f"{self.name(node.find('return').get('type-id'))} ({', '.join(parameters)})"

    def name(self, number):
        """A type as text, typedefs with what is behind them, structs by their names."""
        node = self.types[number]
        inner = node.get("type-id")
        if node.tag == "pointer-type-def":
            return self.name(inner) + " *"
        if node.tag == "qualified-type-def":
            return "".join(word + " " for word in ("const", "volatile") if node.get(word) == "yes") + self.name(inner)
        if node.tag == "typedef-decl":
            return f"{node.get('name')} = {self.name(inner)}"
        if node.tag == "array-type-def":
            return self.name(inner) + "".join(f"[{part.get('length')}]" for part in node.findall("subrange"))
        if node.tag == "function-type":
            return self.function(node)
        return f"{node.tag} {node.get('name')} {node.get('size-in-bits') if node.tag == 'type-decl' else ''}".strip()


def broken(old_path, new_path):
    """What programs of the old description would miss in the new one: one line each."""
    old, new = Description(old_path), Description(new_path)
    lines = []
    for name, was in old.functions.items():
        now = new.functions.get(name)
        if now != was:
            lines.append(f"{name} was {was}, {'is ' + now if now else 'is gone'}")
    for name, was in old.structs.items():
        now = new.structs.get(name, [])
        lines += [f"{name}: {member}, is gone or changed" for member in was if member not in now[:len(was)]]
        if len(now) > len(was) and (name in FROZEN or "struct_size" not in was[0]):
            lines.append(f"{name} grew")
    return lines
